"""How well judges and people did on the items of a benchmark: plain numbers over sequences, None where undefined."""
