"""What the program does, without Qt: sessions, commands, jobs, settings."""
