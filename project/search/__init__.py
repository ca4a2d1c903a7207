"""Finding words in what people wrote."""
