"""Optical flow: where each pixel of one picture lies in another."""
