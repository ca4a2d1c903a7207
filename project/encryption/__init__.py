"""Encryption under a passphrase, by SQLCipher: studies, their backups, and other files."""
