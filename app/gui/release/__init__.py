"""The Release window."""
