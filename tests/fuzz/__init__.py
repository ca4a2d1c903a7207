"""Gives the program what strangers could: damaged and hostile files, in a process of its own that is watched.

`python -m tests.fuzz` lists the targets; `python -m tests.fuzz study-rows --cases 10000` runs one. A case is made from
its target, the seed and its number alone, so `--case 1234` makes it again.
"""
