"""Pictures of every page, window, dialog and menu, to look at: `python -m tests.screens FOLDER`."""
