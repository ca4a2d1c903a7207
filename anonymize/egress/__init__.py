"""Whether something of a study may leave this machine, asked before each request and written down."""
