"""The recording that comes with Greenroom, what is true of it, and how it is made."""
