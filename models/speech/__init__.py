"""Speech: where somebody speaks, and what is said. Sound in, times and words out."""
