"""Replaces faces by ones drawn with Stable Diffusion, consistent over a shot; see docs/diffusion.md."""
