"""What can be annotated: schemes as data, and the loader that checks them."""
