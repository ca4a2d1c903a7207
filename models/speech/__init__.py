"""Speech: voice activity detection and recognition. Sound in, times and words out."""
