"""Plans what a judge sees of a segment, question, chain or recording, and builds the messages of a request."""
