"""A report as HTML, Markdown, LaTeX and CSV: each takes plain text and makes it harmless where it is going."""
