"""How the labels of the default scheme look."""

from project.schemes.scheme_file import load_scheme
from widgets.labels import label_looks

LOOKS = label_looks(load_scheme().tracks[0])
ERROR, COMPETENCE, NONE = LOOKS
