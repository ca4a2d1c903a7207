"""Names that are introduced, spoken to or asked for: “my name is ...”, “nice to meet you, ...”, “Okay ..., look”."""

import re
from collections.abc import Iterator

from anonymize.pii.hit import LIKELY, STRONG, Stretch
from anonymize.pii.kinds import PERSON
from anonymize.pii.lexicon import is_given, plain_words
from anonymize.pii.name_words import Evidence, name_end
from anonymize.pii.tokens import Tokens
from project.common_words import is_common, no_names

_KIN = (
    "son|daughter|brother|sister|wife|husband|partner|boyfriend|girlfriend|fiancee?|mother|father|mum|mom|dad|"
    "aunt|auntie|uncle|"
    "cousin|niece|nephew|grandson|granddaughter|grandmother|grandfather|grandma|grandpa|gran|nan|stepson|stepdaughter|"
    "child|baby|kid|boy|girl|twin|twins|friend|mate|buddy|teacher|boss|manager|colleague|neighbou?r|flatmate|roommate|"
    "landlord|landlady|doctor|nurse|therapist|dentist|supervisor|lodger|carer|dog|cat|puppy|kitten"
)
_TITLES = (
    "mr|mrs|ms|miss|mister|missus|dr|doctor|prof|professor|sir|dame|lady|lord|madam|madame|monsieur|mme|mlle|"
    "herr|frau|se\u00f1or|"
    "senor|se\u00f1ora|senora|se\u00f1orita|signor|signora|don|do\u00f1a|uncle|aunt|auntie|aunty|grandma|grandpa|"
    "granny|nana|nan|grandad|"
    "granddad|nurse|sister|brother|father|officer|sergeant|captain|coach|judge|reverend|rabbi|imam|pastor|matron|"
    "detective|"
    "constable|inspector|teacher"
)
_GREETINGS = (
    "hello|hi|hey|hiya|dear|thanks|thank you|good morning|good afternoon|good evening|good night|goodbye|bye|"
    "well done|welcome|"
    "welcome back|congratulations|happy birthday|okay|ok|sorry|please|no|yes|oh|listen|look|come on|right|bravo|"
    "cheers|excuse me|"
    "tell me|over to you|your turn|come here|stop it|so|and|but|then|morning|see you|see you later|how are you|"
    "what about you"
)
_ANYBODY = (
    "they|people|friends|everybody|everyone|family|mates|kids|children|colleagues|pupils|students|folks|parents|"
    "mother|father|mum|mom|dad|sister|brother|wife|husband|all|we|he|she"
)

_RULES: tuple[tuple[re.Pattern[str], Evidence, float], ...] = (
    (
        re.compile(
            r"(?<!\w)(?:sur|nick|fore)?names?\s*(?:'s|'re|\s(?:is|was|are|were|be)|:)\s+"
            r"(?:(?:really|actually|just|still|called|spelled|spelt|probably|also|dr|mr|mrs|ms|miss)\.?\s+)?"
        ),
        Evidence.STRONG,
        STRONG,
    ),
    (re.compile(r"(?<!\w)nicknames?\s*(?:'s|\s(?:is|was))\s+"), Evidence.ANY, STRONG),
    (re.compile(r"(?<!\w)(?:in|under|by) the (?:\w+\s)?name(?: of)?\s+"), Evidence.STRONG, STRONG),
    (
        re.compile(r"(?:'s|'re|'m|\s(?:is|was|are|am|be|been|got|gets))\s+(?:called|named|nicknamed)\s+"),
        Evidence.STRONG,
        STRONG,
    ),
    (
        re.compile(
            r"(?<!\w)(?:someone|somebody|man|woman|boy|girl|guy|lady|person|child|one|dog|cat) (?:called|named)\s+"
        ),
        Evidence.STRONG,
        STRONG,
    ),
    (
        re.compile(
            rf"(?<!\w)(?:{_ANYBODY})\s+(?:all\s+|always\s+|just\s+)?(?:calls?|called)\s+(?:me|him|her|us|them)\s+"
        ),
        Evidence.ANY,
        STRONG,
    ),
    (
        re.compile(r"(?<!\w)(?:call|calls|called|calling|named|name|christened)\s+(?:me|him|her|us|them|it)\s+"),
        Evidence.STRONG,
        STRONG,
    ),
    (
        re.compile(r"(?<!\w)(?:i|we)\s*(?:'m|'re|\s(?:am|are|was))\s+(?:(?:really|actually|just|still|not)\s+)?"),
        Evidence.WEAK,
        LIKELY,
    ),
    (
        re.compile(
            r"(?<!\w)(?:this|it|that|here|he|she|you|there|who|these|those|not)\s*(?:'s|'re|\s(?:is|are|was|were))\s+"
            r"(?:(?:really|actually|just|not|my \w+)\s+)?"
        ),
        Evidence.WEAK,
        LIKELY,
    ),
    (
        re.compile(
            r"(?<!\w)(?:nice|good|lovely|great|pleased|glad|happy|pleasure) to (?:meet|see|"
            r"have) you\s*,?\s*(?:again\s*,?\s*|here\s*,?\s*)?"
        ),
        Evidence.SOME,
        STRONG,
    ),
    (
        re.compile(r"(?<!\w)(?:speak|talk|chat|speaking|talking|spoke|talked|put me through)\s+(?:to|with)\s+"),
        Evidence.SOME,
        STRONG,
    ),
    (
        re.compile(
            r"(?<!\w)(?:asks?|asked|message|parcel|package|letter|order|table|booking|reservation|"
            r"appointment)(?:'s|\s+is)?\s+(?:for|under|from)\s+"
        ),
        Evidence.SOME,
        LIKELY,
    ),
    (
        re.compile(
            r"(?<!\w)(?:its?'?s? for|it is for|works? with|worked with|lives? with|lived with|sits? next to|"
            r"sat next to|next to|married to|related to)\s+"
        ),
        Evidence.WEAK,
        LIKELY,
    ),
    (
        re.compile(
            rf"(?<!\w)(?:my|his|her|your|our|their|the)\s+(?:(?:\w+)\s+)?(?:{_KIN})(?:'s)?(?:\s*,\s*|"
            rf"\s+)(?:is\s+|was\s+|'s\s+)?(?:called\s+|named\s+)?"
        ),
        Evidence.SOME,
        LIKELY,
    ),
    (re.compile(rf"(?<![\w'])(?:{_GREETINGS})\s*,?\s+"), Evidence.WEAK, LIKELY),
    (
        re.compile(
            r"(?<!\w)(?:participant|patient|user|child|client|customer|pupil|student|subject|interviewer|"
            r"experimenter|signed by|written by)\s*,?\s+"
        ),
        Evidence.WEAK,
        LIKELY,
    ),
)
_TITLE = re.compile(rf"(?<!\w)(?:{_TITLES})\.?\s+")
_SPEAKING = re.compile(
    r"(?<!\w)(?:this is|it's|it is)\s+((?:[^\W\d_]|['-])+(?:\s(?:[^\W\d_]|['-])+)?)\s+(?:speaking|calling|here)\b"
)
_COMMA = re.compile(r"\s*,\s*")
_DOES = re.compile(
    r"\s+(?:said|says|asked|asks|told|tells|thinks|thought|goes|wants|wanted|knows|likes|went|paid|came|comes|"
    r"has|was|is|did|does|gave|took|made|rose|got|left|laughs|laughed|smiled|smiles|nodded|forgot|looks|looked|"
    r"saw|saying|asking|laughing|crying|loves|hates|feels|felt|needs|keeps|kept|[a-z]{2,}ed)\b"
)
_ENDINGS = frozenset(",.!?;")


def introductions(tokens: Tokens) -> Iterator[Stretch]:
    """Yield the names that words around them announce."""
    for pattern, evidence, score in _RULES:
        for hit in pattern.finditer(tokens.lower):
            yield from _name(tokens, hit.end(), evidence, score)
    for hit in _SPEAKING.finditer(tokens.lower):
        yield from _name(tokens, hit.start(1), Evidence.STRONG, STRONG)
    for hit in _TITLE.finditer(tokens.lower):
        yield from _titled(tokens, hit.end())
    yield from _vocatives(tokens)


def _name(tokens: Tokens, place: int, evidence: Evidence, score: float) -> Iterator[Stretch]:
    index = tokens.at(place)
    if index < len(tokens.all) and tokens.all[index].start == place:
        end = name_end(tokens, index, evidence)
        if end is not None:
            yield Stretch(place, tokens.all[end - 1].end, PERSON, score)


def _titled(tokens: Tokens, place: int) -> Iterator[Stretch]:
    """Yield the name after a title: with a capital any word may be one, without only what is no common word."""
    index = tokens.at(place)
    if index >= len(tokens.all) or tokens.all[index].start != place:
        return
    word = tokens.all[index]
    if not word.capital and (word.key in plain_words() or word.key[1:2] == "'"):
        return
    if (word.capital and not word.flat) or not (is_common(word.key) or word.key in no_names()):
        yield from _name(tokens, place, Evidence.STRONG, STRONG)


def _vocatives(tokens: Tokens) -> Iterator[Stretch]:
    """Yield names that are called at the beginning or end of a sentence, or begin it as who does something."""
    words = tokens.all
    for index, word in enumerate(words):
        if not is_given(word.key):
            continue
        after = tokens.text[word.end : word.end + 1]
        before = tokens.gap(index)
        called = _COMMA.fullmatch(before) is not None and (after in _ENDINGS or not after) and word.capital
        begins = word.initial and word.capital and not word.flat
        acts = begins and (after == "," or _DOES.match(tokens.lower, word.end) is not None)
        if (called or acts) and (word.key not in no_names() or acts):
            if word.key in no_names() and after == ",":
                continue
            yield Stretch(word.start, word.end, PERSON, LIKELY)
