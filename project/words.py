"""The words that invented studies are filled with."""

AGENTS = (
    ("Wellness coach robot", "A small robot leads a daily exercise in positive thinking with one person at home."),
    ("Museum guide robot", "A robot on wheels shows visitors around and answers their questions."),
    ("Study helper", "A voice with a face on a screen helps a student to prepare for an exam."),
)

PLACES = ("Kitchen", "Living room", "Hall", "Gallery", "Desk", "Workshop", "Garden", "Waiting room")

RATIONALES = {
    "error": {
        "emotions": (
            "The person's voice breaks, and the agent goes on as if nothing had happened.",
            "The agent answers a joke with a long apology.",
        ),
        "engagement": (
            "The person looks at the door for a while, and the agent does not notice.",
            "The agent keeps explaining after the person has stopped answering.",
        ),
        "conversation": (
            "The agent begins to speak before the sentence is finished.",
            "A long silence follows the question; the agent neither waits nor repeats it.",
        ),
        "knowledge": (
            "The agent asks again what it was told two minutes earlier.",
            "The agent takes for granted that the person knows the building.",
        ),
        "intention": (
            "The person hints that they want to stop; the agent offers another round.",
            "The agent takes the remark literally, although it was a request.",
        ),
        "relationships": (
            "The tone is that of a close friend, though they have just met.",
            "The agent speaks about the child as if the child were not there.",
        ),
        "norms": (
            "The agent leaves without saying goodbye.",
            "The agent comments on the person's looks in front of others.",
        ),
    },
    "competence": {
        "emotions": (
            "The agent names the disappointment gently and leaves room for it.",
            "The agent laughs along at the right moment.",
        ),
        "engagement": (
            "The agent notices that attention wanders and asks a simple question.",
            "The agent turns to the quieter person and waits.",
        ),
        "conversation": (
            "The agent stops at once when it is interrupted, and lets the person finish.",
            "A short “mm-hm” keeps the story going without taking the turn.",
        ),
        "knowledge": (
            "The agent comes back to what the person said about their week.",
            "The agent asks what is known already before it explains.",
        ),
        "intention": (
            "The agent understands that the question is a way of asking for a break.",
            "The agent follows the glance to the shelf and offers the book.",
        ),
        "relationships": (
            "The agent greets the old friends as a pair and does not push in.",
            "The agent keeps to the formal address that the visitor chose.",
        ),
        "norms": (
            "The agent asks before it comes closer.",
            "The agent thanks the person and says when they will meet again.",
        ),
    },
}

CORRECTIONS = (
    "Pause, and ask whether everything is all right.",
    "Wait until the person has finished, then answer.",
    "Say that it was not understood, and ask once more.",
    "Offer to stop here and to go on another day.",
    "Refer to what was said before instead of asking again.",
    "Keep to a friendly but more formal tone.",
)
