"""Chains in files: our own JSON, and GraphML for graph tools."""
