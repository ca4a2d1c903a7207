"""Views of the team: who has what, and items that exist in two versions."""
