"""Model weights: the catalogue, downloads, and verified files on this machine."""
