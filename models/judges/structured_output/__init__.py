"""Turns a model's text into an answer: parsed, repaired by the model, coerced by a second model, or no answer."""
