"""Personal information in what a study says: found, decided, replaced, and kept apart."""
