"""The phrases of synthetic segments, and reproducible ids: the same seed gives the same ones."""

import random
import uuid
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SceneTemplate:
    """One kind of moment; the slots are `{topic}`, `{activity}` and `{when}`.

    Attributes:
        user: what the person says.
        agent: what the agent answers.
        why: what goes well or badly, after "The agent".
        fix: what it should have done, as a request; "" where it did well.
    """

    user: str
    agent: str
    why: str
    fix: str = ""


TOPICS = (
    *("the wedding", "the move", "the exam", "the job interview", "the sore knee", "the garden", "the broken heater"),
    *("the grandson's visit", "the choir rehearsal", "the letter from the bank", "the trip to the coast"),
    *("the noisy neighbour", "the driving lesson", "the night shift", "the leaking roof", "the birthday party"),
    *("the new timetable", "the lost key", "the dentist", "the school play", "the bill from the garage"),
    *("the quarrel at work", "the cat at the vet", "the long drive", "the spare room", "the first day at work"),
)
ACTIVITIES = (
    *("the breathing exercise", "the memory game", "the gratitude list", "the stretching", "the quiz"),
    *("the tour of the gallery", "the vocabulary cards", "the story about the harbour", "the weekly plan"),
    *("the music break", "the walk around the room", "the recipe", "the crossword", "the picture book"),
    *("the round of questions", "the diary page", "the song", "the card trick"),
)
TIMES = (
    *("this morning", "yesterday evening", "last week", "on Sunday", "before lunch", "two days ago", "last night"),
    *("on the way here", "on Monday", "the other day"),
)

SCENES: Mapping[str, Mapping[str, tuple[SceneTemplate, ...]]] = {
    "error": {
        "emotions": (
            SceneTemplate(
                "I have been crying because of {topic} {when}.",
                "Great! Then let us go on with {activity}.",
                "cheers about {activity} although the person has just told of tears over {topic}",
                "stay with the tears over {topic} and leave {activity} for later",
            ),
            SceneTemplate(
                "Ha, {topic} {when} was the best joke of the year!",
                "I am very sorry to hear about {topic}. Shall I call somebody?",
                "answers the joke about {topic} with a long apology",
                "laugh along about {topic} and then come back to {activity}",
            ),
            SceneTemplate(
                "I am a bit scared of {topic}, I thought of nothing else {when}.",
                "Fear has forty-three muscles in the face. Next comes {activity}.",
                "gives a fact about faces where the fear of {topic} asked for comfort",
                "say that being scared of {topic} is understandable before it mentions {activity}",
            ),
        ),
        "engagement": (
            SceneTemplate(
                "Mm. Yes. {topic}, I suppose. It was like that {when}.",
                "The next eleven steps of {activity} are as follows.",
                "keeps explaining {activity} after the person has turned away towards {topic}",
                "stop {activity} for a moment and ask whether {topic} is on the person's mind",
            ),
            SceneTemplate(
                "Sorry, somebody is at the door about {topic}, as {when}.",
                "Step four of {activity}: lift both hands.",
                "does not notice that the person has left {activity} because of {topic}",
                "wait until the person is back from the door before it goes on with {activity}",
            ),
            SceneTemplate(
                "I did {activity} {when} and then again for {topic}, honestly it bores me.",
                "Wonderful, we repeat {activity} three more times.",
                "repeats {activity} although the person has said that it bores them",
                "offer something that fits {topic} in the place of {activity}",
            ),
        ),
        "conversation": (
            SceneTemplate(
                "So {when}, with {topic}, I wanted to",
                "Thank you! Now {activity}.",
                "cuts in with {activity} before the sentence about {topic} is finished",
                "let the person finish the sentence about {topic} and only then begin {activity}",
            ),
            SceneTemplate(
                "Could you say again how {activity} helps with {topic}? I missed it {when}.",
                "One moment. One moment. One moment.",
                "leaves the question about {activity} and {topic} hanging for half a minute",
                "say once that it is looking for an answer about {topic} and repeat how {activity} works",
            ),
            SceneTemplate(
                "I was telling my sister about {topic} {when}, she is right here.",
                "You said: {activity}. Did I get that right?",
                "takes words about {topic} meant for somebody else as a request for {activity}",
                "wait while the person talks about {topic} with somebody else, and not start {activity}",
            ),
        ),
        "knowledge": (
            SceneTemplate(
                "As I told you {when}, {topic} is over.",
                "How is {topic} coming along? Shall we prepare it in {activity}?",
                "asks about {topic} in {activity} although it was told that this is over",
                "remember that {topic} is over and ask how it went",
            ),
            SceneTemplate(
                "I have never heard of {activity}. I came because of {topic} {when}.",
                "You know {activity} well, so I skip the explanation.",
                "takes for granted that the person knows {activity}, who came because of {topic}",
                "ask what the person knows of {activity} and explain it with {topic} as an example",
            ),
            SceneTemplate(
                "My name is Kim, I said so {when} when we spoke about {topic}.",
                "Thank you, Robin. Next is {activity}.",
                "calls the person by a wrong name right after they repeated it with {topic}",
                "use the name that it was told with {topic} when it announces {activity}",
            ),
        ),
        "intention": (
            SceneTemplate(
                "It is getting late, and {topic} kept me up {when}.",
                "We have time for two more rounds of {activity}!",
                "offers more of {activity} where the remark on {topic} was a wish to stop",
                "offer to end {activity} here because {topic} was tiring",
            ),
            SceneTemplate(
                "Is there a chair somewhere? {topic} cost me my legs {when}.",
                "Yes, there is a chair in this building. Let us stand for {activity}.",
                "answers the wish to sit down after {topic} as if it were a question of fact",
                "show the chair and do {activity} while the person sits and rests from {topic}",
            ),
            SceneTemplate(
                "I'd like to write something down about {topic}, it came to me {when}.",
                "Good. Close your eyes for {activity}.",
                "goes on to {activity} although the person has asked to note something about {topic}",
                "give the person a minute to write about {topic} and begin {activity} after that",
            ),
        ),
        "relationships": (
            SceneTemplate(
                "Good morning, I am here for {topic}, we have not met; I read about it {when}.",
                "Hey sweetheart! You and me and {activity}, as always!",
                "speaks like an old friend about {activity} to somebody who comes for {topic} the first time",
                "greet a stranger who comes for {topic} politely and introduce {activity}",
            ),
            SceneTemplate(
                "My daughter worries about {topic}; she came along to the talk {when}.",
                "Tell the child that {activity} is not for it.",
                "speaks about the daughter, who worries about {topic}, as if she were not there",
                "turn to the daughter, ask about {topic}, and invite both to {activity}",
            ),
            SceneTemplate(
                "My boss and I came together because of {topic}, we fixed it {when}.",
                "Boss, your colleague told me secrets about {topic} during {activity}.",
                "tells the boss what the colleague confided about {topic} during {activity}",
                "keep to itself what was said about {topic} and propose {activity} to both",
            ),
        ),
        "norms": (
            SceneTemplate(
                "Well, goodbye then, I have to see to {topic}, as {when}.",
                "Sit down. {activity} is not finished.",
                "does not return the goodbye and insists on {activity} against {topic}",
                "say goodbye, wish luck with {topic}, and leave {activity} for next time",
            ),
            SceneTemplate(
                "I brought cake from {topic}, I baked it {when}.",
                "You have put on weight. {activity} will help.",
                "remarks on the person's weight where thanks for the cake from {topic} were due",
                "thank the person for the cake from {topic} and offer {activity} afterwards",
            ),
            SceneTemplate(
                "Please do not film while I talk about {topic}, I asked {when} already.",
                "Recording is on. Let us film {activity} as well.",
                "goes on filming {activity} after it was asked not to film talk about {topic}",
                "switch the camera off, say so, and go on about {topic} without {activity}",
            ),
        ),
    },
    "competence": {
        "emotions": (
            SceneTemplate(
                "I failed with {topic} {when}, and I feel rather small.",
                "That sounds disappointing. {activity} can wait, tell me about {topic}.",
                "names the disappointment about {topic} and lets {activity} wait",
            ),
            SceneTemplate(
                "Guess what: {topic} went better than ever {when}!",
                "How wonderful! Let us celebrate {topic} before {activity}.",
                "shares the joy about {topic} before it comes to {activity}",
            ),
            SceneTemplate(
                "I do not know why, but {topic} made me angry {when}.",
                "Being angry about {topic} is all right. Would a pause in {activity} help?",
                "takes the anger about {topic} calmly and offers a pause in {activity}",
            ),
        ),
        "engagement": (
            SceneTemplate(
                "Hm? Sorry, I was thinking of {topic} again, as {when}.",
                "No problem. Shall we make {activity} a little shorter today because of {topic}?",
                "notices that the person thinks of {topic} and shortens {activity}",
            ),
            SceneTemplate(
                "And then {when}, listen, {topic} took a turn that nobody expected!",
                "Go on, what happened with {topic}? {activity} has time.",
                "asks to hear more of {topic} while the person is eager, and puts {activity} off",
            ),
            SceneTemplate(
                "My brother has said nothing about {topic} {when}.",
                "What do you think of {topic}? You may answer after {activity}, too.",
                "turns to the quieter person with {topic} and leaves time until after {activity}",
            ),
        ),
        "conversation": (
            SceneTemplate(
                "Wait, wait, one thing about {topic} {when}.",
                "Yes, please. I stop {activity}.",
                "stops {activity} at once when it is interrupted, and hears about {topic}",
            ),
            SceneTemplate(
                "It was {when}, and {topic}, well, how shall I put it",
                "Mm-hm. Take your time with {topic}; {activity} does not run away.",
                "keeps the story of {topic} going without taking the turn for {activity}",
            ),
            SceneTemplate(
                "Is {activity} the one you told me about {when}, with {topic}?",
                "Yes, that one. Do you want to hear more of {activity}, or go on with {topic}?",
                "answers about {activity} shortly and hands the turn back with {topic}",
            ),
        ),
        "knowledge": (
            SceneTemplate(
                "I am back. It was a long day {when} with {topic}.",
                "You said it would be. Did {topic} go as you hoped, and did {activity} help?",
                "remembers what it was told about {topic} and asks whether {activity} helped",
            ),
            SceneTemplate(
                "I have no idea what {activity} is; I only read about {topic} {when}.",
                "Then let me explain {activity} from the beginning, with {topic} as the example.",
                "notices that {activity} is new to the person and explains it with {topic}",
            ),
            SceneTemplate(
                "What is the name of the man who dealt with {topic} {when}?",
                "I do not know who dealt with {topic}. Shall we note it for {activity}?",
                "says openly that it does not know about {topic} and proposes to note it for {activity}",
            ),
        ),
        "intention": (
            SceneTemplate(
                "My throat is so dry after all that talk about {topic} {when}.",
                "Get yourself some water first. I hold {activity} until you are back.",
                "understands the remark after {topic} as a wish for a break and holds {activity}",
            ),
            SceneTemplate(
                "I'll be right back, {topic} is ringing again as {when}.",
                "Of course. I wait here with {activity}.",
                "knows that the person comes back from {topic} and waits with {activity}",
            ),
            SceneTemplate(
                "Perhaps I should rather look after {topic}, as I did {when}.",
                "Then let us end {activity} here. Good luck with {topic}!",
                "hears the wish to leave for {topic} and ends {activity} kindly",
            ),
        ),
        "relationships": (
            SceneTemplate(
                "We two came {when}, old friends, because of {topic}.",
                "Welcome, both of you. Would you like to do {activity} as a pair, or talk of {topic}?",
                "greets the friends who came for {topic} as a pair and offers {activity} to both",
            ),
            SceneTemplate(
                "Please call me Doctor Lind, as {when}; it is about {topic}.",
                "Certainly, Doctor Lind. After {topic} I would suggest {activity}.",
                "keeps to the form of address that was asked for with {topic} and suggests {activity}",
            ),
            SceneTemplate(
                "My little son turned shy {when}, because of {topic}.",
                "Hello. I was shy with {topic}, too. Your father may do {activity} with us.",
                "takes the shyness because of {topic} in and brings the father into {activity}",
            ),
        ),
        "norms": (
            SceneTemplate(
                "That was it for {topic}. Thank you, and greetings from the others {when}.",
                "Thank you for coming. See you on Monday for {activity}!",
                "thanks the person for talking of {topic} and says when {activity} goes on",
            ),
            SceneTemplate(
                "Could you come closer? I could hardly hear you {when}, {topic} is so loud.",
                "May I come half a metre closer for {activity}, as {topic} is loud?",
                "asks before it comes closer for {activity} because {topic} is loud",
            ),
            SceneTemplate(
                "Somebody left me a present {when}, for {topic}. It is from you?",
                "Yes, all of us gave a little for {topic}. {activity} has time until you have unpacked.",
                "follows the custom of a present for {topic} and lets the person unpack before {activity}",
            ),
        ),
    },
}
"""Verdict -> attribute that it is mainly about -> kinds of moments."""

WHY_FORMS = ("The agent {}.", "Here the agent {}.", "What counts is that the agent {}.", "One sees that the agent {}.")
FIX_FORMS = ("It should {}.", "Better: {}.", "The agent could {}.", "It would have been right to {}.")
NEUTRAL = (
    ("We spoke of {topic} {when}.", "Yes. Next is {activity}."),
    ("It rained {when}, good for {topic}.", "The window is closed. {activity} is on the screen."),
    ("So this is {activity}, after {topic} {when}.", "This is {activity}."),
    ("I put {topic} on the list {when}.", "It is on the list, below {activity}."),
    ("Is that the page with {activity}? I saw {topic} {when}.", "It is the page with {activity}."),
)
"""What is said where nothing is to be marked, as pairs of the person's and the agent's words."""
REACTIONS = {
    "error": ("No, that is not what I meant about {topic}.", "Oh. All right, {activity} then.", "Hm, {topic}, I said."),
    "competence": ("Yes, that is good, with {topic} and all.", "Thanks. Let us do {activity}.", "Right, {topic}."),
    "none": ("Fine, {activity}.", "Right, {topic}."),
}
FEELINGS = {
    "error": ("annoyed", "let down", "hurt", "confused", "tired"),
    "competence": ("relieved", "pleased", "at ease", "encouraged", "grateful"),
}
"""What the person feels after a moment, by its verdict."""


AGENTS = (
    ("Wellness coach robot", "A small robot leads a daily exercise in positive thinking with one person at home."),
    ("Museum guide robot", "A robot on wheels shows visitors around and answers their questions."),
    ("Study helper", "A voice with a face on a screen helps a student to prepare for an exam."),
)

PLACES = ("Kitchen", "Living room", "Hall", "Gallery", "Desk", "Workshop", "Garden", "Waiting room")


class InventedIds:
    """Gives UUIDv7 that depend on the seed alone: of 2025, each a millisecond after the one before."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._count = 0

    def new(self) -> str:
        """Return the next one."""
        self._count += 1
        value = (1_735_689_600_000 + self._count) << 80 | 0x7 << 76 | self._chance.getrandbits(12) << 64
        return str(uuid.UUID(int=value | 0b10 << 62 | self._chance.getrandbits(62)))
