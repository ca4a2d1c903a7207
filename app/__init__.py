"""The program: commands and jobs (core), the window (gui), the command line and the worker process."""
