"""Who a face is, as a vector: only to measure how well people are hidden, never to name anyone."""
