"""The mode Faces: face tracks, the decisions about them, and the frames that still need a look."""
