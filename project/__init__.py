"""The study file: what is known about some recordings, and every edit ever made. No Qt, no models, no media."""
