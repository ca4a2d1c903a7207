"""Views for reviewing faces: cards of tracks, bars above and below them, and boxes drawn on the picture."""
