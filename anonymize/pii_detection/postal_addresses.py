"""Finds postal addresses: streets with numbers, post boxes, postal codes."""

import re
from collections.abc import Iterator

from anonymize.pii_detection.pii_hit import ADDRESS, LIKELY, STRONG, PiiSpan
from project.text_matching.normalization import function_words

_STREET_TYPES = (
    "street|avenue|ave|road|rd|lane|boulevard|blvd|crescent|terrace|gardens?|mews|parkway|highway|grove|close|drive|"
    "cottages?|villas?|quay|wharf|esplanade|embankment|turnpike|cul-de-sac"
)
_AMBIGUOUS_STREET_TYPES = (
    "way|walk|park|place|court|hill|row|square|st|green|rise|view|parade|circle|trail|gate|bridge|point|house|fields?"
)
_NUMBER = (
    r"(?:(?:flat|apartment|apt|unit|suite|number|no\.?|house)\s+)?\d{1,5}\s?[a-z]?(?![^\W_])(?:\s?[-/]\s?\d{1,4})?"
)
_NAME = r"(?:[^\W\d_][\w'\u2019.-]{0,40}\s+){1,4}?"
_UNIT_AFTER = r"(?:,?\s+(?:flat|apartment|apt|unit|suite|floor)\.?\s+\d+\w?)?"
_STREET = re.compile(
    rf"(?<![^\W_]){_NUMBER},?\s+({_NAME})({_STREET_TYPES}|{_AMBIGUOUS_STREET_TYPES})\b\.?{_UNIT_AFTER}", re.IGNORECASE
)
_ONE_WORD = re.compile(
    r"(?<![^\W_])\d{1,4}\s?[a-z]?\s+[A-Z][a-z]{2,}(?:way|gate|side|field|hurst|wood|croft|dale|mead|bury)\b"
)
_ROMANCE = re.compile(
    r"(?<![^\W_])\d{1,4}(?:\s?(?:bis|ter))?,?\s+(?:rue|avenue|boulevard|place|chemin|quai|impasse|allee|"
    r"all\u00e9e|cours|route)\s+"
    r"(?:(?:de\s+la|de\s+l'|de|du|des|d'|la|le|les)\s*)?[^\W\d_][\w'\u2019-]*(?:\s+[A-Z][\w'\u2019-]*){0,5}"
    r"|\b(?:calle|avenida|avda\.?|plaza|paseo|carrer|via|viale|piazza|corso|rua|travessa|ul\.|ulica|jalan)\s+"
    r"(?:(?:de|del|la|las|los|da|do|dei|"
    r"della)\s+){0,4}[^\W\d_][\w'\u2019-]*(?:\s+[A-Z][\w'\u2019-]*){0,5},?\s+(?:n\.?\u00ba?\s*)?\d{1,4}\b",
    re.IGNORECASE,
)
_GERMANIC = re.compile(
    r"(?<![^\W_])[^\W\d_][\w-]{0,40}(?:stra(?:\u00df|ss)e|str\.|weg|gasse|platz|allee|damm|ufer|straat|laan|gracht|"
    r"plein|gatan|v\u00e4gen|"
    r"vej|gade|katu|tie)\s+\d{1,4}\s?[a-z]?(?![^\W_])",
    re.IGNORECASE,
)
_BOX = re.compile(
    r"\bp\.?\s?o\.?\s?box\s+\d+|\b(?:postfach|apartado(?:\s+de\s+correos)?|bo[i\u00ee]te\s+postale|b\.?p\.?)\s+"
    r"\d[\d ]*\d|\b(?:postfach|apartado(?:\s+de\s+correos)?|bo[i\u00ee]te\s+postale)\s+\d+",
    re.IGNORECASE,
)
_UK_CODE = re.compile(r"(?<![^\W_])[A-Z]{1,2}\d[A-Z\d]?\s?\d[A-Z]{2}(?![^\W_])")
_AREAS = (
    "AB|AL|BA|BB|BD|BH|BL|BN|BR|BS|BT|CA|CB|CF|CH|CM|CO|CR|CT|CV|CW|DA|DD|DE|DG|DH|DL|DN|DT|DY|EC|EH|EN|EX|FK|FY|GL|GU|GY|"
    "HA|HD|HG|HP|HR|HS|HU|HX|IG|IM|IP|IV|JE|KA|KT|KW|KY|LA|LD|LE|LL|LN|LS|LU|ME|MK|ML|NE|NG|NN|NP|NR|NW|OL|OX|PA|PE|PH|PL|PO|"
    "PR|RG|RH|RM|SA|SE|SG|SK|SL|SM|SN|SO|SP|SR|SS|ST|SW|SY|TA|TD|TF|TN|TQ|TR|TS|TW|UB|WA|WC|WD|WF|WN|WR|WS|WV|YO|ZE"
)
# A code as it is spoken comes in small letters; the second half has no C, I, K, M, O or V, and is no ordinal number.
# A word that is a letter too, “i” or “a”, may follow.
_UK_SPOKEN = re.compile(
    rf"(?<![^\W_])(?:[a-z]{{1,2}}|(?:{_AREAS})\s)\d[a-z\d]?\s?\d(?!st|nd|rd|th|hz|gb|tb|ft|lb|pt|px)"
    r"[abd-hjlnp-uw-z]{2}[ia]?(?![^\W_])",
    re.IGNORECASE,
)
_FLAT = re.compile(
    r"(?<![^\W_])(?:flat(?:'s)?|apartment|apt\.?|wohnung|whg\.?|haus|hausnummer|piso|apartamento|puerta|portal|"
    r"appartement|appt?\.?|b[a\u00e2]timent|logement)\s+(?:number\s+(?:is\s+)?|no\.?\s+|nummer\s+|nr\.?\s+|n[u\u00fa]mero\s+|"
    r"num[e\u00e9]ro\s+|n[\u00b0\u00ba]\s?)?(?:\d{1,4}\s?(?:[-/]\s?\d{1,3})?\s?[a-z]?|[a-z]\s?\d{1,4}|one)(?![^\W_])"
    r"(?!\s*(?:%|percent|per\s?cent|prozent|euros?|dollars?|pounds?|degrees|minut|hours?|people|leute|personas|times|mal|points?))",
    re.IGNORECASE,
)
_NUMBERED_UNIT = re.compile(
    r"(?<![^\W_])(?:(?:unit|suite|casa|maison|haus)\s+(?:number|n[u\u00fa]mero|num[e\u00e9]ro|nummer|nr\.?|no\.?)\s+\d{1,4}\s?[a-z]?"
    r"|piso\s+(?:primero|segundo|tercero|cuarto|quinto|sexto|bajo)(?:\s+(?:izquierda|derecha|[a-d]))?)(?![^\W_])",
    re.IGNORECASE,
)
_STREET_WITHOUT_NUMBER = re.compile(
    r"\b(?:on|in|at|off|near|down|up|along)\s+((?:[A-Z][\w'\u2019-]+\s+){1,3}(?:Street|Road|Lane|Avenue|Crescent|Terrace|"
    r"Drive|Close|Grove|Gardens|Mews|Boulevard|Row|Court|Way|Hill|Square|Place)),?(?:\s+(?:number\s+)?\d{1,4}[a-z]?)?(?![^\W_])"
)
_FLAT_STREET = re.compile(
    r"\b(?:live|lives|lived|living|house|place|flat|moved|stay|staying)\s+(?:is\s+)?(?:on|in|at|to|off|near)\s+"
    r"((?:[a-z]{3,}\s+){1,2}(?:street|road|lane|avenue|crescent|terrace|drive|close|grove|gardens|mews))\b"
    r"(?:\s+(?:at\s+)?(?:number\s+)?\d{1,4}[a-z]?(?![^\W_]))?"
)
_UNIT_WORDS = r"(?:piso|izquierda|derecha|izda\.?|dcha\.?|puerta|portal|bajo|[aá]tico|[1-9]\d?\s?[ºªo°]\s?[A-Z]?)"
_STREET_WORDS = (
    r"calle|c/|avenida|avda\.?|plaza|paseo|camino|carretera|ronda|rambla|traves[ií]a|glorieta|carrer|urbanizaci[oó]n"
)
_SPANISH = re.compile(
    rf"(?<![^\W_])(?:{_STREET_WORDS})\s*(?:[^\W\d_][\w'\u2019.-]{{0,40}},?\s+){{1,6}}?(?:n[uú]mero\s+|n\.?[ºo°]?\s*|al\s+)?\d{{1,4}}"
    rf"\s?[a-z]?(?![^\W_])(?:,?\s+(?:{_UNIT_WORDS}|(?:primer|segund|tercer|cuart|quint)[oa]?)){{0,3}}"
    r"(?:,?\s+\d{5}\s+[^\W\d_]+)?",
    re.IGNORECASE,
)
_FRENCH_STREET = (
    r"rue|avenue|av\.|boulevard|bd\.?|place|chemin|quai|impasse|all[eé]e|cours|route|square|passage|faubourg"
)
_FRENCH = re.compile(
    rf"(?<![^\W_])\d{{1,4}}(?:\s?(?:bis|ter|quater))?,?\s+(?:{_FRENCH_STREET})\s+(?:[^\W\d_][\w'\u2019-]{{0,40}}\s+){{0,4}}?"
    rf"[^\W\d_][\w'\u2019-]{{0,40}}\s*,\s+\d{{5}}\s+[^\W\d_][\w-]{{0,40}}"
    rf"|(?<![^\W_])(?:{_FRENCH_STREET})\s+(?:[^\W\d_][\w'\u2019-]{{0,40}},?\s+){{1,5}}?(?:au\s+(?:num[eé]ro\s+)?)?\d{{1,4}}(?:\s?(?:bis|ter))?"
    r"(?![^\W_])",
    re.IGNORECASE,
)
_GERMAN_ENDS = (
    r"stra(?:ß|ss)e|str\.|weg|gasse|platz|allee|ring|damm|ufer|markt|hof|graben|promenade|chaussee|steig|pfad|zeile|berg|"
    r"wall|tor|siedlung|anger|kamp|stieg|twiete|br[uü]cke"
)
_GERMAN_NUMBER = (
    r"\s+(?:nummer\s+|nr\.?\s+)?\d{1,4}\s?[a-z]?(?![^\W_])"
    r"(?:,?\s+(?:[A-Z]{1,2}-)?\d{5}\s+[A-Z\u00c4\u00d6\u00dc][\w-]+)?"
)
_GERMAN = re.compile(
    rf"(?<![^\W_])(?:(?:am|an der|an den|im|in den|in der|auf der|auf dem|zum|zur|unter den|hinter der|vor dem|"
    rf"beim)\s+(?:[^\W\d_][\w-]*\s+){{1,2}}?(?:{_GERMAN_ENDS}){_GERMAN_NUMBER}"
    rf"|[^\W\d_]{{3,}}(?:{_GERMAN_ENDS}){_GERMAN_NUMBER}"
    rf"|(?:am|zum|zur|im)\s+(?:{_GERMAN_ENDS}){_GERMAN_NUMBER})",
    re.IGNORECASE,
)
_AT_CODE = re.compile(
    r"(?<![^\W_])(?:(?:[A-Z]{1,2}-?)?\d{5}|(?:A|CH|L|B)-?\d{4})\s+[A-ZÄÖÜÉ][a-zäöüßéèêñ]{2,}(?:[ -][A-ZÄÖÜ][a-zäöüß]+)?"
)
_HAN = r"[\u4e00-\u9fff]"
_UNIT = r"(?:号楼|号院|号|弄|栋|幢|座|楼|层|单元|室|户|期)"
_MORE_UNITS = rf"(?:\s?[\dA-Za-z]{{1,5}}\s?{_UNIT}){{0,5}}(?:\s?\d{{3,4}}(?!\d))?"
_CHINESE = re.compile(
    rf"{_HAN}{{1,8}}(?:大街|大道|胡同|路|街|道|巷|弄|里|村|小区|花园|苑|新村|公寓|大厦|广场|庄)[东西南北中]?"
    rf"\s?\d{{1,5}}\s?{_UNIT}?{_MORE_UNITS}"
)
_CHINESE_UNIT = re.compile(rf"(?<!\d)\d{{1,4}}\s?(?:号楼|栋|幢|单元){_MORE_UNITS}")
_LEADING_WORDS = re.compile(r"(?:地址|门牌号?|住址)?(?:是|住在|住|寄到|送到|搬到|搬去|发到|放在|在|到)了?")
_DIVISION = re.compile(r"[省市区县州镇乡]")
_MAX_SIGNS_BEFORE = 16
_HAN_SIGN = re.compile(_HAN)
_US_CODE = re.compile(r"(?<![^\W_])[A-Z]{2}\s+\d{5}(?:-\d{4})?(?![^\W_])")
_TOWN_CODE = re.compile(r"(?<![^\W_])(?:[A-Z]{1,2}-)?\d{4,5}\s+[A-Z][\w-]+(?=[\s,.]|$)")
_LIVING = re.compile(
    r"\blive|\blived\b|\baddress\b|\bmoved? to\b|\bsend\b|\bdeliver|\bpost\b|\bhome\b|\bstay|\bplace is\b|"
    r"\bi'm at\b|\bflat\b|"
    r"\bapartment\b|\bnumber\b|\bhouse\b"
)
_NO_STREET_WORDS_TEXT = (
    "minute minutes hour hours mile miles day days people kids children metre metres meter meters of in the a an "
    "to and or "
    "degrees steps times years percent euros pounds dollars cats dogs long short more other half different big "
    "small at on "
    "for with from by my your his her our their this that is was are were"
)
_NO_STREET_WORDS = frozenset(_NO_STREET_WORDS_TEXT.split())
_STREET_FUNCTION_WORDS = frozenset({"the", "of", "and", "de", "la", "saint", "old", "new"})


def find_addresses(text: str) -> Iterator[PiiSpan]:
    """Yield addresses of a text in which spoken numbers are written out."""
    lower = text.lower()
    lived = _LIVING.search(lower) is not None
    for hit in _STREET.finditer(text):
        words = hit[1].lower().split()
        capital = hit[1][:1].isupper() and hit[2][:1].isupper()
        sure = re.fullmatch(_STREET_TYPES, hit[2], re.IGNORECASE) is not None
        if any(word in _NO_STREET_WORDS and word not in _STREET_FUNCTION_WORDS for word in words) and not capital:
            continue
        if words[0] in function_words() and not capital:
            continue
        if sure or capital or lived:
            yield PiiSpan(*hit.span(), ADDRESS, STRONG)
    for pattern in (
        _ROMANCE,
        _GERMANIC,
        _BOX,
        _UK_CODE,
        _UK_SPOKEN,
        _US_CODE,
        _FLAT,
        _NUMBERED_UNIT,
        _SPANISH,
        _FRENCH,
        _AT_CODE,
    ):
        for hit in pattern.finditer(text):
            if until := _end_before_telephone(text, *hit.span()):
                yield PiiSpan(hit.start(), until, ADDRESS, STRONG)
    for pattern in (_CHINESE, _CHINESE_UNIT) if _HAN_SIGN.search(text) else ():
        for hit in pattern.finditer(text):
            yield PiiSpan(_chinese_start(text, *hit.span()), hit.end(), ADDRESS, STRONG)
    for hit in _GERMAN.finditer(text):
        if until := _end_before_telephone(text, *hit.span()):
            yield PiiSpan(hit.start(), until, ADDRESS, LIKELY)
    for hit in _STREET_WITHOUT_NUMBER.finditer(text):
        yield PiiSpan(hit.start(1), hit.end(), ADDRESS, LIKELY)
    for hit in _FLAT_STREET.finditer(text):
        if not set(hit[1].split()) & _NO_STREET_WORDS:
            yield PiiSpan(hit.start(1), hit.end(), ADDRESS, LIKELY)
    for hit in _ONE_WORD.finditer(text):
        yield PiiSpan(*hit.span(), ADDRESS, LIKELY)
    for hit in _TOWN_CODE.finditer(text) if lived else ():
        yield PiiSpan(*hit.span(), ADDRESS, LIKELY)


_TELEPHONE = re.compile(
    r"\b(?:t[e\u00e9]l|t[e\u00e9]l[e\u00e9][fph]+on(?:o|os|e|es|nummer)?|m[o\u00f3]vil|celular|portable|handy(?:nummer)?|"
    r"mobil(?:e|nummer|telefon)?|phone|whatsapp|fax|ruf(?:nummer)?)\b\W{0,3}"
    r"(?:(?:number|nummer|n[u\u00fa]mero|num[e\u00e9]ro|is|es|est|ist)\W{1,3}){0,2}$",
    re.IGNORECASE,
)
_LAST_NUMBER = re.compile(r"\d[\d .\-/]*$")
_FURTHER_DIGITS = re.compile(r"(?:[ .\-/]?\d)*")
_MIN_TELEPHONE_DIGITS = 8
"""Digits of a telephone number at least."""
_WORD = re.compile(r"[^\W\d_]+")
_NO_NAME = frozenset({"y", "e", "o", "et", "ou", "und", "oder", "no", "ne", "nicht"})
"""Words in small letters after “calle” or “rue” that say that no name of a street follows."""


def _end_before_telephone(text: str, start: int, end: int) -> int:
    """Return where an address ends whose number is that of a telephone, as its words say; 0 where it is no address.

    Only what stands right before a long number says so: in doubt it is the number of a house, and hidden.
    """
    number = _LAST_NUMBER.search(text[start:end])
    announced = _TELEPHONE.search(text[start : start + number.start()]) if number else None
    if number is None or announced is None:
        return end
    follows = _FURTHER_DIGITS.match(text, end)
    assert follows is not None
    if sum(map(str.isdigit, number[0] + follows[0])) < _MIN_TELEPHONE_DIGITS:
        return end
    street = text[start : start + announced.start()].rstrip(" ,")
    _, *name = _WORD.findall(street) or [""]
    return 0 if not name or not _NO_NAME.isdisjoint(name) else start + len(street)


def _chinese_start(text: str, start: int, end: int) -> int:
    """Return where a Chinese address begins: with province, city and district, and without “I live at”."""
    first = start
    while first > max(0, start - _MAX_SIGNS_BEFORE) and _HAN_SIGN.match(text[first - 1]):
        first -= 1
    number = next((at for at in range(start, end) if text[at].isdigit()), end)
    leads = [lead.end() for lead in _LEADING_WORDS.finditer(text, first, number)]
    if leads and leads[-1] < number:
        return leads[-1]
    return first if _DIVISION.search(text, first, number) else start
