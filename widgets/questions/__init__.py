"""Views of questions: their list, the panel in which they are verified, and how many survive the filters."""
