"""Views of the help window: its pages, the list of them, and what a search found."""
