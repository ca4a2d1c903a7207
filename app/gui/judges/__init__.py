"""The mode Judges: who is asked, what is sent, what came back."""
