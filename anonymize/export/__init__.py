"""Recordings and clips with their faces hidden: shown, made, and waiting to be made."""
