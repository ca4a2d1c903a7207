"""Computes figures from the answers of judges and people to frozen items."""
