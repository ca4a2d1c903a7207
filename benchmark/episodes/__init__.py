"""Role-played episodes: started, played turn by turn, imported, rated, exported."""
