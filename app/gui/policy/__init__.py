"""The window of what leaves this machine: the policy of a study, and the journal of requests."""
