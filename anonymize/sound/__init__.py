"""What is personal in the sound: covered, and what sounds in its place."""
