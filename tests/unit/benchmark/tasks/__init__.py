"""What judges can be asked."""
