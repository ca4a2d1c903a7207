"""Full-text search over what people wrote."""
