"""What is on disk: compressed and atomic files, and folders of arrays with checksums."""
