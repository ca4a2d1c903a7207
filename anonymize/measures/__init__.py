"""How private a rendering is, and how useful: figures with their formulas and sources."""
