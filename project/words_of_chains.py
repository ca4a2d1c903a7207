"""The words that invented causal chains are made of."""

DEEDS = (
    *("drops", "hides", "picks up", "points at", "knocks over", "hands back", "asks about", "looks for"),
    *("laughs at", "argues over", "brings in", "forgets", "repairs", "puts away", "pays for", "complains about"),
    *("steps over", "reads aloud from", "shows off", "breaks", "cleans", "takes a picture of", "turns away from"),
    *("whispers something about", "offers to share", "refuses to touch", "throws out", "unwraps", "trips over"),
    *("apologises for", "stares at", "carries off", "measures", "sketches"),
)
THINGS = (
    *("the birthday cake", "the red umbrella", "the broken lamp", "the train tickets", "the old photograph"),
    *("the guitar", "the letter from the landlord", "the spare key", "the wet dog", "the unpaid bill"),
    *("the chess board", "the burnt soup", "the wedding invitation", "the cardboard box", "the missing shoe"),
    *("the new bicycle", "the tall vase", "the shopping list", "the exam results", "the noisy radio"),
    *("the torn map", "the garden hose", "the medicine bottle", "the locked drawer", "the theatre costume"),
    *("the cracked phone", "the sleeping baby's blanket", "the coffee machine", "the parking fine", "the paint bucket"),
    *("the telescope", "the crossword", "the fishing rod", "the piano lesson"),
)
MOMENTS = (
    *("in the doorway", "behind the counter", "while the others talk", "after a long pause", "on the way out"),
    *("beside the window", "without a word", "in front of everybody", "before the bell rings", "under the table"),
    *("for the second time", "with both hands", "as the lights go out", "near the stairs", "during the toast"),
)
CLAIMS = (
    *("was left there on purpose", "belongs to a neighbour", "cannot be replaced", "is worth a fortune"),
    *("was bought to please a rival", "will be needed tomorrow", "has been lied about", "was meant as a surprise"),
    *("is somebody else's fault", "has brought bad luck", "must be kept secret", "was stolen last week"),
    *("proves an old promise", "will start a quarrel", "has been forgotten by all", "is safe with a friend"),
)
AIMS = (
    *(
        "make up for",
        "get rid of",
        "find out more about",
        "keep quiet about",
        "win a bet about",
        "plead for",
    ),
    *("teach the children about", "draw attention to", "borrow money for", "take revenge for", "hurry up with"),
    *("return unseen", "joke about", "protect everybody from", "change the subject from", "sell"),
)
WISHES = (
    *("to be thanked for", "that nobody had seen", "to be alone with", "that someone else would deal with"),
    *("to be trusted with", "to have known about", "that it were all over with", "to be asked about"),
)
FEELINGS = (
    *("ashamed of", "proud of", "annoyed by", "amused by", "frightened by", "relieved about", "jealous over"),
    *("guilty about", "curious about", "disappointed in", "touched by", "disgusted by", "nervous about", "bored by"),
    *("grateful for", "puzzled by", "hopeful about", "hurt by", "excited about", "lonely without"),
)
