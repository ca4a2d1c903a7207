"""Who plays what in the episodes of invented studies, and what is said there."""

CHARACTERS = (
    (
        *("Ada Brandt", "34", "carpenter", "she/her", "open and quick-tempered", "fairness, good work"),
        *("by feeling", "Ada runs a small workshop.", "Ada has not paid the rent for two months."),
    ),
    (
        *("Noel Okafor", "27", "nurse", "he/him", "calm and dutiful", "care, honesty"),
        *("after long thought", "Noel works nights.", "Noel has applied for a job abroad."),
    ),
    (
        *("Mira Castell", "51", "teacher", "she/her", "curious, a little vain", "learning"),
        *("by asking others", "Mira teaches music.", "Mira can no longer hear high notes."),
    ),
    (
        *("Theo Lindqvist", "45", "baker", "he/him", "warm and stubborn", "family, habit"),
        *("as it was always done", "Theo's bakery is the oldest in town.", "Theo means to sell the bakery."),
    ),
    (
        *("Yun Park", "22", "student", "they/them", "shy, sharp", "independence"),
        *("by numbers", "Yun plays chess for the university.", "Yun has failed an exam and told nobody."),
    ),
    (
        *("Sol Herrera", "63", "retired engineer", "he/him", "playful, forgetful", "friendship"),
        *("on a whim", "Sol repairs old radios.", "Sol broke the neighbour's window."),
    ),
)
"""Name, age, occupation, pronouns, personality, values, decision style, public information, secret."""

SITUATIONS = (
    (
        "A lamp at the market",
        "A flea market on Sunday; one of them sells an old lamp that the other would like to have.",
        "stranger",
        ("Sell the lamp for 30 or more.", "Buy the lamp for 20 or less."),
        ("the lamp", "the price", "the crack in the glass", "the market", "the rain"),
    ),
    (
        "Who cooks on Saturday",
        "Two who share a flat plan a dinner for friends.",
        "friend",
        ("Do not cook alone.", "Keep the evening free until seven."),
        ("the dinner", "the kitchen", "the shopping list", "the guest list", "the soup"),
    ),
    (
        "The shared garden",
        "Neighbours stand at the fence between their gardens and talk about the old tree.",
        "acquaintance",
        ("Have the tree cut.", "Keep the tree, whatever it takes."),
        ("the tree", "the fence", "the shade", "the hedge", "the bench"),
    ),
    (
        "The weekend trip",
        "A couple decides where to go for two days.",
        "romantic",
        ("Go to the mountains.", "Spend as little as possible."),
        ("the mountain hut", "the hotel", "the train", "the dog", "the weather"),
    ),
    (
        "Grandmother's piano",
        "Two of one family divide what was left to them.",
        "family",
        ("Get the piano.", "Learn whether there is a will."),
        ("the piano", "the will", "the house", "the old letter", "the photo album"),
    ),
)
"""Name, context, relationship, goals, what is talked about."""

LINES = (
    "Good morning. I was hoping to talk about {thing}.",
    "Let me be honest: {thing} matters more to me than you may think.",
    "What would you say if we left {thing} out of it?",
    "I could help you with {thing} in return.",
    "That is not how I remember {thing}.",
    "Fine. But then {thing} is settled for good.",
    "Do you want me to beg for {thing}?",
    "I never said that about {thing}.",
    "We could share {thing}.",
    "Who told you about {thing}?",
    "You are right about {thing}, I give in there.",
    "Give me a day to think about {thing}.",
    "My last word on {thing} was said yesterday.",
    "I laugh, but I mean it: {thing} worries me.",
    "Let us look at {thing} together.",
    "There is something about {thing} that you do not know.",
    "Thank you for speaking openly about {thing}.",
    "If it were only {thing}, I would not ask.",
    "So {thing} it is?",
    "I would rather not talk about {thing} here.",
)
GESTURES = ("smiles", "shakes the head", "looks away", "nods slowly", "shrugs", "folds the arms", "leans forward")
REASONS = (
    "What is said about {thing} shows it.",
    "Most of it rests on how {thing} is settled.",
    "The offer about {thing} counts, the tone does not.",
    "Little happens here beside {thing}.",
    "The turn about {thing} decides it.",
)
"""Why a rating is as it is."""
