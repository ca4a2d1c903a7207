"""Judges behind OpenAI's language: hosted models, vLLM, llama.cpp's own server, Ollama, LM Studio."""
