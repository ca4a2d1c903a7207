"""The shell: the command line, the window, the worker process, and diagnostics and documentation for both."""
