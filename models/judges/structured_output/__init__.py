"""From what a model wrote to an answer: read, mended by itself, coerced by a second model, or said to be no answer."""
