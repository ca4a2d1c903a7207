"""Pictures of every page, window, dialog and menu, to look at: `python -m tools.screens FOLDER`."""
