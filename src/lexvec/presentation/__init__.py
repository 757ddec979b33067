"""How results look: tables as text, Markdown, LaTeX, CSV and HTML, cards for notebooks, SVG pictures, safe lines."""
