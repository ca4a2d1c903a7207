"""The documentation, as the window shows it: its pages in their order, links, HTML, and a search in them."""
