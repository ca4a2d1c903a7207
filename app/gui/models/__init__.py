"""The window of models: what is installed, what each is for, and how to get the rest."""
