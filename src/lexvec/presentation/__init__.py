"""How results look: tables as text, Markdown, LaTeX and HTML, cards for notebooks, and SVG pictures."""
