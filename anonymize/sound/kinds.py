"""What can be heard instead of what is covered."""

MUTE, BEEP, SILENCE = "mute", "beep", "silence"
COVERS = {
    MUTE: "Silence",
    BEEP: "A beep",
    SILENCE: "The quiet room, made anew",
}
"""Title of each."""
