"""Agreement between the annotators of a study, and the adjudicated annotations that are made from them."""
