"""Probe, exact frames, sound, waveform and encoding on PyAV. No Qt."""
