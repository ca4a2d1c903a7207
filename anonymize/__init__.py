"""Methods that hide who is in a picture, the renderer that applies them, and the check of what came out."""
