"""Who a voice is, as a vector: to tell the speakers of a recording apart, and to measure how well a voice is hidden."""
