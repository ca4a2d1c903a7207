"""What is computed over a whole study: the agreement of annotators."""
