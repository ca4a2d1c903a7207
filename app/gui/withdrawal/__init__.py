"""The withdrawal of a participant in the window: what it removes, the confirmation, the certificate."""
