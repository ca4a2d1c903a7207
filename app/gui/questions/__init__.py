"""The mode Questions, and the windows about them."""
