"""Inference only: arrays and paths in, types out. No SQL, no Qt."""

import os

# Read when onnxruntime is imported: otherwise it keeps a device id in the user's cache folder and a queue of events to
# send, and turning events off afterwards comes too late for the former.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
