"""Every edit a person can make, each a function of a session that returns what changed."""
