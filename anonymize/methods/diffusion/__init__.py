"""Another face drawn by Stable Diffusion, consistent over the frames of a shot; see docs/diffusion.md."""
