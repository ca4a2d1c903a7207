"""The tables of a study file as literal SQL, by subject; never changed once released."""
