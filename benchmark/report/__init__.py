"""Reports on benchmark runs: tables, plots and lists of items, as HTML, Markdown, LaTeX, CSV and images."""
