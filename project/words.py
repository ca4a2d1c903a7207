"""The words that invented studies are filled with."""

AGENTS = (
    ("Wellness coach robot", "A small robot leads a daily exercise in positive thinking with one person at home."),
    ("Museum guide robot", "A robot on wheels shows visitors around and answers their questions."),
    ("Study helper", "A voice with a face on a screen helps a student to prepare for an exam."),
)

PLACES = ("Kitchen", "Living room", "Hall", "Gallery", "Desk", "Workshop", "Garden", "Waiting room")
