"""A report on runs of the benchmark: tables, plots and lists of items, as HTML, Markdown, LaTeX, CSV and pictures."""
