"""Role-played episodes: setting up, playing, rating, import and export."""
