"""Names and places announced by the words around them in Chinese, where no blanks part the words."""

import re
from collections.abc import Iterator

from anonymize.pii_detection.pii_hit import LIKELY, PERSON, PLACE, STRONG, WEAK, PiiSpan
from project.text_matching.normalization import read_word_list

_HANZI = r"[\u4e00-\u9fff]"
_FAMILY_NAMES = read_word_list("chinese_family_names.txt")
_DOUBLE = "|".join(sorted(name for name in _FAMILY_NAMES if len(name) > 1))
_SURNAMES = "".join(sorted(name for name in _FAMILY_NAMES if len(name) == 1))
_CHINESE_NAME = rf"(?:(?:{_DOUBLE}){_HANZI}{{1,2}}|[{_SURNAMES}]{_HANZI}{{1,2}})"
_NO_NAME = (
    "来的是在有不就都也很和跟对说要去了吗呢吧啊嘛会能可得着过把被让给到从向为以及但而且或还再又只才已"
    "这那哪什怎么们我你他她它"
)
_ENDS_NAME = re.compile(rf"[{_NO_NAME}\W\d_]|$")
_TITLES = (
    "先生|女士|小姐|太太|夫人|老师|医生|大夫|护士|教授|同学|阿姨|叔叔|师傅|经理|主任|校长|律师|警官|博士|爷爷|奶奶|大爷|"
    "大妈|哥|姐"
)
_CALLED = re.compile(
    rf"(?:我叫|名叫|名字叫|名字是|叫做|全名是|姓名[是\uff1a:]?\s?|她叫|他叫|就叫|本人)\s?({_HANZI}{{1,4}}(?:·{_HANZI}{{1,6}})?)"
)
_SURNAME = re.compile(rf"(?:我|他|她|免贵|贵)?姓\s?({_DOUBLE}|[{_SURNAMES}])")
_TITLED = re.compile(rf"((?:{_DOUBLE}|[{_SURNAMES}]){_HANZI}{{0,2}}?)(?={_TITLES})")
_AFTER = re.compile(
    rf"(?:我是|这是|那是|他是|她是|请找|找|告诉|告诉了|问|问了|通知|联系|认识|遇到|见到|后来|然后|女儿|儿子|老公|老婆|爱人|丈夫|妻子|朋友|同事|"
    rf"邻居|同学|哥哥|姐姐|弟弟|妹妹|室友|前台的|班上的|单位的)\s?({_CHINESE_NAME})"
)
_KIN = re.compile(
    rf"(?:女儿|儿子|孙女|孙子|外孙|宝宝|妹妹|弟弟)(?:叫)?({_HANZI}{{2}})(?=马上|今年|已经|现在|明年|要|在|刚|还|很|说|去|上)"
)
_START = re.compile(
    rf"(?:^|[\s\uff0c。、\uff01\uff1f\uff1b\uff1a,.!?;:])({_CHINESE_NAME})(?=[\s\uff0c。、,.!?]|老师|说|就|是|告诉|来|去|$)"
)
_FOREIGN = re.compile(rf"{_HANZI}{{2,6}}·{_HANZI}{{1,8}}(?:·{_HANZI}{{1,8}})?")
_PLACE = re.compile(
    rf"(?:老家(?:是|在)|家乡(?:是|在)|来自|住在|搬到(?:了)?|搬去|出生在|生在|出生于|祖籍(?:是)?|籍贯(?:是)?|定居在?|长大在)({_HANZI}{{2,6}}?)"
    rf"(?=的|了|\uff0c|。|,|\s|$|后来|两|三|几|已|现在|那|这|好|\uff0c|[{_NO_NAME}])|"
    rf"在({_HANZI}{{2,4}}?)(?=长大|出生|读书|上学|工作|打工)|从({_HANZI}{{2,4}}?)(?=坐|过来|来的|赶|开车|搬)|"
    rf"回(?:到)?({_HANZI}{{2,4}}?)(?=他|她|我|老家|去了|了|过年|看)"
)


def find_chinese_names(text: str) -> Iterator[PiiSpan]:
    """Yield names and places that the words around them announce."""
    if not re.search(_HANZI, text):
        return
    plain_words, plain_places = read_word_list("chinese_plain_words.txt"), read_word_list("chinese_plain_places.txt")
    for match in _CALLED.finditer(text):
        end = match.end(1)
        cut = _ENDS_NAME.search(text, match.start(1) + 1, end)
        if cut and "·" not in match[1]:
            end = cut.start() or end
        if text[match.start(1)] not in _NO_NAME:
            yield PiiSpan(match.start(1), end, PERSON, STRONG)
    for pattern, score in ((_SURNAME, STRONG), (_TITLED, LIKELY), (_FOREIGN, LIKELY)):
        for match in pattern.finditer(text):
            span = match.span(1) if match.re.groups else match.span()
            yield PiiSpan(*span, PERSON, score)
    for pattern in (_AFTER, _START, _KIN):
        for match in pattern.finditer(text):
            start, end = match.span(1)
            if end - start == 3 and text[end - 1] in _NO_NAME:
                end -= 1
            if text[start : start + 2] in plain_words:
                continue
            if end - start >= 2 and not set(text[start + 1 : end]) & set(_NO_NAME):
                yield PiiSpan(start, end, PERSON, LIKELY)
    for match in _PLACE.finditer(text):
        group = next(number for number in range(1, 5) if match[number])
        place = match[group]
        if place not in plain_places and place[:2] not in plain_places and place[0] not in _NO_NAME + "一几某每很个":
            yield PiiSpan(*match.span(group), PLACE, WEAK)
