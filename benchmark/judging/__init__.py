"""Asks judges: plans requests, runs them within rate limits and a budget, and stores the judgments."""
