"""Tasks that judges can be asked: when they apply, their answer forms and their prompts.

Needs no study and no model.
"""
