"""Finds personal information in texts: names, places, dates of birth, numbers, addresses. Nothing is sent anywhere."""
