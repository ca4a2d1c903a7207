"""What invented studies hold beside segments: what is said, reviews, statements, episodes."""
