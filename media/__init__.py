"""Probes files, decodes exact frames, reads sound, draws waveforms and encodes clips, on PyAV. No Qt."""
