"""Finds names that are introduced, addressed, listed or spelled letter by letter, and organisations, in English.

Examples: “my name is ...”, “nice to meet you, ...”, “Okay ..., look”.
"""

import re
from collections.abc import Iterator, Sequence

from anonymize.pii_detection.name_tokens import (
    NameEvidence,
    Token,
    Tokens,
    find_name_end,
    is_family_name,
    is_given_name,
    places,
    plain_words,
    small_places,
)
from anonymize.pii_detection.pii_hit import LIKELY, ORGANISATION, PERSON, PLACE, STRONG, WEAK, PiiSpan
from project.text_matching.normalization import capitalized_non_names, function_words, is_common
from project.text_matching.text_views import TextView

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

_RULES: tuple[tuple[re.Pattern[str], NameEvidence, float], ...] = (
    (
        re.compile(
            r"(?<!\w)(?:sur|nick|fore)?names?\s*(?:'s|'re|\s(?:is|was|are|were|be)|:)\s+"
            r"(?:(?:really|actually|just|still|called|spelled|spelt|probably|also|dr|mr|mrs|ms|miss)\.?\s+)?"
        ),
        NameEvidence.STRONG,
        STRONG,
    ),
    (re.compile(r"(?<!\w)nicknames?\s*(?:'s|\s(?:is|was))\s+"), NameEvidence.ANY, STRONG),
    (re.compile(r"(?<!\w)(?:in|under|by) the (?:\w+\s)?name(?: of)?\s+"), NameEvidence.STRONG, STRONG),
    (
        re.compile(r"(?:'s|'re|'m|\s(?:is|was|are|am|be|been|got|gets))\s+(?:called|named|nicknamed)\s+"),
        NameEvidence.STRONG,
        STRONG,
    ),
    (
        re.compile(
            r"(?<!\w)(?:someone|somebody|man|woman|boy|girl|guy|lady|person|child|one|dog|cat) (?:called|named)\s+"
        ),
        NameEvidence.STRONG,
        STRONG,
    ),
    (
        re.compile(
            rf"(?<!\w)(?:{_ANYBODY})\s+(?:all\s+|always\s+|just\s+)?(?:calls?|called)\s+(?:me|him|her|us|them)\s+"
        ),
        NameEvidence.ANY,
        STRONG,
    ),
    (
        re.compile(r"(?<!\w)(?:call|calls|called|calling|named|name|christened)\s+(?:me|him|her|us|them|it)\s+"),
        NameEvidence.STRONG,
        STRONG,
    ),
    (
        re.compile(r"(?<!\w)(?:i|we)\s*(?:'m|'re|\s(?:am|are|was))\s+(?:(?:really|actually|just|still|not)\s+)?"),
        NameEvidence.WEAK,
        LIKELY,
    ),
    (
        re.compile(
            r"(?<!\w)(?:this|it|that|here|he|she|you|there|who|these|those|not)\s*(?:'s|'re|\s(?:is|are|was|were))\s+"
            r"(?:(?:really|actually|just|not|my \w+)\s+)?"
        ),
        NameEvidence.WEAK,
        LIKELY,
    ),
    (
        re.compile(
            r"(?<!\w)(?:nice|good|lovely|great|pleased|glad|happy|pleasure) to (?:meet|see|"
            r"have) you\s*,?\s*(?:again\s*,?\s*|here\s*,?\s*)?"
        ),
        NameEvidence.SOME,
        STRONG,
    ),
    (
        re.compile(r"(?<!\w)(?:speak|talk|chat|speaking|talking|spoke|talked|put me through)\s+(?:to|with)\s+"),
        NameEvidence.SOME,
        STRONG,
    ),
    (
        re.compile(
            r"(?<!\w)(?:asks?|asked|message|parcel|package|letter|order|table|booking|reservation|"
            r"appointment)(?:'s|\s+is)?\s+(?:for|under|from)\s+"
        ),
        NameEvidence.SOME,
        LIKELY,
    ),
    (
        re.compile(
            r"(?<!\w)(?:its?'?s? for|it is for|works? with|worked with|lives? with|lived with|sits? next to|"
            r"sat next to|next to|married to|related to)\s+"
        ),
        NameEvidence.WEAK,
        LIKELY,
    ),
    (
        re.compile(
            rf"(?<!\w)(?:my|his|her|your|our|their|the)\s+(?:(?:\w+)\s+)?(?:{_KIN})(?:'s)?(?:\s*,\s*|"
            rf"\s+)(?:is\s+|was\s+|'s\s+)?(?:called\s+|named\s+)?"
        ),
        NameEvidence.SOME,
        LIKELY,
    ),
    (re.compile(rf"(?<![\w'])(?:{_GREETINGS})\s*,?\s+"), NameEvidence.WEAK, LIKELY),
    (
        re.compile(
            r"(?<!\w)(?:participant|patient|user|child|client|customer|pupil|student|subject|interviewer|"
            r"experimenter|signed by|written by)\s*,?\s+"
        ),
        NameEvidence.WEAK,
        LIKELY,
    ),
)
_TITLE = re.compile(rf"(?<!\w)(?:{_TITLES})\.?\s+")
_SPEAKING = re.compile(
    r"(?<!\w)(?:this is|it's|it is)\s+((?:[^\W\d_]|['-])+(?:\s(?:[^\W\d_]|['-])+)?)\s+(?:speaking|calling|here)\b"
)
_COMMA = re.compile(r"\s*,\s*")
_SPEAKER_VERB = re.compile(
    r"\s+(?:said|says|asked|asks|told|tells|thinks|thought|goes|wants|wanted|knows|likes|went|paid|came|comes|"
    r"has|was|is|did|does|gave|took|made|rose|got|left|laughs|laughed|smiled|smiles|nodded|forgot|looks|looked|"
    r"saw|saying|asking|laughing|crying|loves|hates|feels|felt|needs|keeps|kept|[a-z]{2,}ed)\b"
)
_ENDINGS = frozenset(",.!?;")


def find_introduced_names(tokens: Tokens) -> Iterator[PiiSpan]:
    """Yield the names that words around them announce."""
    for pattern, evidence, score in _RULES:
        for hit in pattern.finditer(tokens.lower):
            yield from _name(tokens, hit.end(), evidence, score)
    for hit in _SPEAKING.finditer(tokens.lower):
        yield from _name(tokens, hit.start(1), NameEvidence.STRONG, STRONG)
    for hit in _TITLE.finditer(tokens.lower):
        yield from _titled_names(tokens, hit.end())
    yield from _vocatives(tokens)


def _name(tokens: Tokens, place: int, evidence: NameEvidence, score: float) -> Iterator[PiiSpan]:
    index = tokens.index_at(place)
    if index < len(tokens.all) and tokens.all[index].start == place:
        end = find_name_end(tokens, index, evidence)
        if end is not None:
            yield PiiSpan(place, tokens.all[end - 1].end, PERSON, score)


def _titled_names(tokens: Tokens, place: int) -> Iterator[PiiSpan]:
    """Yield the name after a title: with a capital any word may be one, without only what is no common word."""
    index = tokens.index_at(place)
    if index >= len(tokens.all) or tokens.all[index].start != place:
        return
    word = tokens.all[index]
    if not word.capital and (word.key in plain_words() or word.key[1:2] == "'"):
        return
    if (word.capital and not word.flat) or not (is_common(word.key) or word.key in capitalized_non_names()):
        yield from _name(tokens, place, NameEvidence.STRONG, STRONG)


def _vocatives(tokens: Tokens) -> Iterator[PiiSpan]:
    """Yield names that are called at the beginning or end of a sentence, or begin it as who does something."""
    words = tokens.all
    for index, word in enumerate(words):
        if not is_given_name(word.key):
            continue
        after = tokens.text[word.end : word.end + 1]
        before = tokens.gap_before(index)
        called = _COMMA.fullmatch(before) is not None and (after in _ENDINGS or not after) and word.capital
        begins = word.initial and word.capital and not word.flat
        acts = begins and (after == "," or _SPEAKER_VERB.match(tokens.lower, word.end) is not None)
        if (called or acts) and (word.key not in capitalized_non_names() or acts):
            if word.key in capitalized_non_names() and after == ",":
                continue
            yield PiiSpan(word.start, word.end, PERSON, LIKELY)


_MIN_NAME_CHARS = 3
_MAX_ACRONYM_CHARS = 5
# Of fewer words, nobody can tell whether they are English.
_MIN_ENGLISH_CHARS = 4
_PLACE_PREPOSITIONS = frozenset({"in", "near", "to", "from", "at", "of", "around", "through", "via"})
_MAX_PLACE_WORDS = 3
_SURE_PLACE_PREPOSITIONS = frozenset({"in", "from", "near"})
_MOTION_VERBS = frozenset(
    {"go", "goes", "going", "went", "gone", "move", "moved", "drove", "fly", "flew", "travel", "trip", "us", "back"}
)


def find_listed_names(tokens: Tokens) -> Iterator[PiiSpan]:
    """Yield what looks like a name or a place by itself."""
    at = 0
    words = tokens.all
    while at < len(words):
        if end := _place_end(tokens, at):
            yield PiiSpan(words[at].start, words[end - 1].end, PLACE, LIKELY)
            at = end
            continue
        score = _score(tokens, words[at])
        if not score:
            at += 1
            continue
        if words[at].capital and at and words[at - 1].key == "in" and not is_given_name(words[at].key):
            yield PiiSpan(words[at].start, words[at].end, PLACE, WEAK)
            at += 1
            continue
        end = find_name_end(tokens, at, NameEvidence.WEAK) or at + 1
        yield PiiSpan(words[at].start, words[end - 1].end, PERSON, score)
        at = end


def _score(tokens: Tokens, word: Token) -> float:
    key = word.key
    if key in function_words() or key in capitalized_non_names() or len(key) < 2:
        return 0
    if key in plain_words() and (
        not (tokens.is_english and len(tokens.all) >= _MIN_ENGLISH_CHARS)
        or (word.initial and len(key) <= _MIN_NAME_CHARS)
    ):
        return 0
    if word.text.isupper() and len(word.text) <= _MAX_ACRONYM_CHARS:
        return 0
    common, given = is_common(key), is_given_name(key)
    if word.capital and not word.flat:
        if common:
            return WEAK if given and not word.initial and tokens.is_english else 0
        if given or is_family_name(key):
            return LIKELY
        return WEAK if tokens.is_english else 0
    return WEAK if given and not common and len(key) >= _MIN_NAME_CHARS and tokens.is_english else 0


def _place_end(tokens: Tokens, at: int) -> int | None:
    """Return the index after the last word of a place of the list that begins at a word."""
    words = tokens.all
    word = words[at]
    led = at > 0 and words[at - 1].key in _PLACE_PREPOSITIONS
    seen = word.capital and not word.flat and (led or not word.initial)
    if not seen and not (led and word.flat):
        return None
    for count in range(min(_MAX_PLACE_WORDS, len(words) - at), 0, -1):
        stretch = words[at : at + count]
        if any(tokens.gap_before(at + i) not in (" ", "-") for i in range(1, count)):
            continue
        name = " ".join(token.key for token in stretch)
        if name in places() and (not is_given_name(name) or (at > 0 and words[at - 1].key == "in")):
            return at + count
        if led and _is_town(name, stretch, sure=words[at - 1].key in _SURE_PLACE_PREPOSITIONS):
            return at + count
    return None


def _is_town(name: str, words: Sequence[Token], *, sure: bool) -> bool:
    """Tell whether words after “in”, “to” or “near” are a small town, and not somebody with its name."""
    if name not in small_places() or (len(words) == 1 and words[0].key in plain_words()):
        return False
    if words[0].flat and all(is_common(word.key) for word in words):
        return False
    return sure or not (is_given_name(words[0].key) or is_family_name(words[0].key))


def _follows_preposition(words: Sequence[Token], at: int) -> bool:
    """Tell whether a name of people and places stands where a place does: “in Lincoln”, “went to Lincoln”."""
    before = [word.key for word in words[max(0, at - 2) : at]]
    return bool(before) and (
        before[-1] in _SURE_PLACE_PREPOSITIONS or (before[-1] == "to" and before[0] in _MOTION_VERBS)
    )


_LETTERS = re.compile(r"(?<![^\W_])[A-Za-z]{3,}(?![^\W_])")
_ABOUT_NAMES = re.compile(r"\b(?:sur)?name|\bspell|\bspelt|\bcalled|\bunder\b|\bthat's\b|\bit's\b|\bwith an?\b")
_CONTEXT_CHARS = 80


def find_spelled_words(text: str, out: TextView) -> Iterator[PiiSpan]:
    """Yield words that are spelled in a text; `out` is the text written out."""
    for hit in _LETTERS.finditer(out.text):
        start, end = out.original_span(*hit.span())
        if end - start < 2 * len(hit[0]) - 1:
            continue
        key = hit[0].lower()
        known = is_given_name(key) or is_family_name(key)
        if key in capitalized_non_names() or (is_common(key) and not known):
            continue
        if known or _ABOUT_NAMES.search(text[max(0, start - _CONTEXT_CHARS) : end + _CONTEXT_CHARS].lower()):
            yield PiiSpan(start, end, PERSON, STRONG if known else LIKELY)


_NOUN = (
    "Hospital|Clinic|Surgery|Infirmary|Hospice|School|College|University|Academy|Institute|Kindergarten|Nursery|"
    "Bank|Church|Mosque|"
    "Synagogue|Temple|Ltd|Limited|Inc|LLC|GmbH|AG|PLC|Plc|Company|Corporation|Group|Foundation|Association|"
    "Society|Trust|"
    "Council|Ministry|Department|Practice|Pharmacy|Airlines|Airways|Gas|Electric|Water|Energy|Insurance|Motors|Records|"
    "Library|Museum|Theatre|Theater|Club|United|Rovers|Agency|Laborator(?:y|ies)|Labs|Consulting|Partners|"
    "Brothers|Sons|Hotel"
)
_CAPITAL = r"[A-Z][\w'\u2019.&-]*"
_NAMED = re.compile(
    rf"(?<![\w'])(?:{_CAPITAL}\s+(?:(?:of|and|&|the|for)\s+)?){{1,4}}(?:{_NOUN})\b(?:\s+of(?:\s+the)?\s+{_CAPITAL})?"
)
_NAMED_AFTER_NOUN = re.compile(rf"\b(?:{_NOUN})\s+(?:of|for)(?:\s+the)?\s+{_CAPITAL}(?:\s+(?:and\s+)?{_CAPITAL})*")
_EMPLOYED = re.compile(
    rf"(?:\b[Ww]ork(?:s|ed|ing)?\s+(?:for|at)|\bjoin(?:ed|s)?|\bemployed (?:by|at)|"
    rf"\bhired by)\s+({_CAPITAL}(?:\s+{_CAPITAL})*)"
)
_FLAT = re.compile(
    r"\b(?:at|in|from|for) (?:the )?([^\W\d_]{4,}(?: [^\W\d_]{4,})?) (?:hospital|clinic|surgery|school|college|"
    r"university|academy|infirmary|bank)\b"
)
_DETERMINERS = re.compile(
    r"^(?:The|A|An|My|Our|Your|His|Her|Their|This|That|At|In|We|I|And|But|So|She|He|They|It|Is)\s+"
)
_PLAIN_TEXT = (
    "primary secondary high middle local nearest whole same other new old public private nursery summer medical "
    "boarding music "
    "language driving dental this that their your children first last main big little next every blood savings "
    "state general"
)
_PLAIN = frozenset(_PLAIN_TEXT.split())


def find_organisations(text: str) -> Iterator[PiiSpan]:
    """Yield names of organisations."""
    for pattern, score in ((_NAMED, STRONG), (_NAMED_AFTER_NOUN, STRONG)):
        for hit in pattern.finditer(text):
            start = hit.start()
            if first := _DETERMINERS.match(hit[0]):
                start += first.end()
            if len(text[start : hit.end()].split()) > 1:
                yield PiiSpan(start, hit.end(), ORGANISATION, score)
    for hit in _EMPLOYED.finditer(text):
        yield PiiSpan(*hit.span(1), ORGANISATION, LIKELY)
    if text.islower():
        for hit in _FLAT.finditer(text):
            if not set(hit[1].split()) & _PLAIN:
                yield PiiSpan(hit.start(1), hit.end(), ORGANISATION, WEAK)
