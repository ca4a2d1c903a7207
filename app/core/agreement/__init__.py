"""How far annotators agree, where they do not, and one lane made of several."""
