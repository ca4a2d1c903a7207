"""Judges behind the OpenAI API: hosted models, vLLM, llama.cpp's own server, Ollama, LM Studio."""
