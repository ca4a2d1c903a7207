"""Qt views. They know the project's types only, and emit what the user wants; they never write."""
