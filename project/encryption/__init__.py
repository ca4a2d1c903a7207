"""Encryption of whole files under a passphrase: studies, their backups, and other files."""
