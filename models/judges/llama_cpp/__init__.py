"""Models in GGUF files on this machine, through llama-cpp-python in a process of their own."""
