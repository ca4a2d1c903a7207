"""Who speaks: voices that belong together, mouths that move with the sound, and what both say about the speaker."""
