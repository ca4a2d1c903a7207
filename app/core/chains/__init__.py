"""Causal chains: what is wrong with one, what state it is in, and how it goes into files and comes from them."""
