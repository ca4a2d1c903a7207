"""How the sound of an export is treated, and what that did to it."""
