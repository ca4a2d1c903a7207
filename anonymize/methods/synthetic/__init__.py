"""A face drawn anew: only expression, gaze and the pose of the head come from the person."""
