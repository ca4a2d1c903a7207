"""What goes with the words: faces, gestures and tone, at their places inside utterances."""
