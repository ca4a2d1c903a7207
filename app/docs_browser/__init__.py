"""The documentation in the window and on the command line: pages, links, HTML and search."""
