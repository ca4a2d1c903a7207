"""Anonymizes sound: covers personal words and changes voices."""
