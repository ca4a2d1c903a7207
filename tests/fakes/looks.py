"""How the labels of the default scheme look."""

from project.schemes.loader import load_scheme
from widgets.label_looks import looks_of

LOOKS = looks_of(load_scheme().tracks[0])
ERROR, COMPETENCE, NONE = LOOKS
