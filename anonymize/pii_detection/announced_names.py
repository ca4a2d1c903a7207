"""Names and places announced by the words around them in German, Spanish, French and Chinese; places in English too.

Other names are left to a model of names, where one is installed. What words alone suggest gets a low score.
"""

import re
from collections.abc import Iterator, Sequence

from anonymize.pii_detection.name_tokens import (
    Token,
    Tokens,
    is_family_name,
    is_given_name,
    places,
    plain_words,
    small_places,
)
from anonymize.pii_detection.pii_hit import LIKELY, PERSON, PLACE, STRONG, WEAK, PiiSpan
from project.text_matching.normalization import capitalized_non_names, function_words, is_common
from project.text_matching.number_words import fold_same_length

_NAMED = re.compile(
    r"(?<!\w)(?:ich hei(?:ss|\u00df)e|hei(?:ss|\u00df)t|mein(?:e)?\s+(?:vor|nach)?name(?:n)?\s+(?:ist|lautet|war)|"
    r"genannt|namens|"
    r"me llamo|se llama(?:n|ba)?|te llamas|llamad[oa]|mi (?:nombre|apellido)(?: completo)? es|"
    r"je m'appelle|s'appelle(?:nt)?|t'appelles|mon (?:nom|prenom)(?: de famille)? (?:est|c'est)|nomme?e?)\s+"
    r"(?:auch |jetzt |aber |tambien |aussi )?"
)
_TITLED = re.compile(
    r"(?<!\w)(?:frau|herrn?|fraulein|doktor|professor(?:in)?|oma|opa|tante|onkel|"
    r"senora?|senorita|sra?\.|don|dona|doctora?|profesora?|tia|tio|"
    r"madame|mme|monsieur|m\.|mademoiselle|mlle|docteur|maitre|professeur|tonton|tata)\s+"
    r"(?:doktor |doctora? |dr\.? |prof\.? |le docteur )?"
)
_OTHERS = re.compile(
    r"(?<!\w)(?:(?:mein|dein|sein|ihr|unser)(?:e|er|en|em)?\s+(?:tochter|sohn|bruder|schwester|mann|frau|freund(?:in)?|kollegin?|"
    r"kollege|nachbar(?:in)?|mutter|vater|cousine?|nichte|neffe|enkel(?:in)?|hund|katze|chef(?:in)?)|"
    r"(?:mi|tu|su|nuestr[oa])\s+(?:hij[oa]|herman[oa]|marido|mujer|novi[oa]|amig[oa]|colega|compa\u00f1er[oa]|companer[oa]|vecin[oa]|"
    r"madre|padre|prim[oa]|sobrin[oa]|niet[oa]|perr[oa]|gat[oa]|jef[ea])|"
    r"(?:mon|ma|ton|ta|son|sa|notre|votre)\s+(?:fille|fils|frere|s(?:oe|\u0153)ur|mari|femme|ami|amie|copain|copine|collegue|voisine?|"
    r"mere|pere|cousine?|niece|neveu|chien|chat|chef)|"
    r"fragen sie nach|frag(?:t|e)? nach|sprechen mit|pregunt[ea] por|hablar con|demande[zr] (?:a )?|parler a|"
    r"ich bin(?: die| der)?|hier ist|hier spricht|das ist|das war|soy|"
    r"aqui|este es|esta es|moi c'est|c'est|ici|je suis)\s*,?\s+"
)
"""Words before a name that also stand before other words: the next word has to look like a name."""

_ASKED = re.compile(r"(?<!\w)(?:fragen sie nach|frag(?:t|e)? nach|pregunt[ea] por|demande[zr])\s+")
_LIVING = re.compile(
    r"(?<!\w)(?:(?:live|lives|lived|living|born|raised|grew up|stay|stayed|settled|"
    r"based|brought up)(?: \w+)?(?: back)? "
    r"(?:in|near|at|outside)|"
    r"(?:wohn(?:e|en|t|ten|te)|leb(?:e|en|t|te|ten)|geboren|aufgewachsen|gro(?:ss|\u00df) geworden|zuhause|daheim)"
    r"(?: bin ich| wir| ich| er| sie| jetzt| seit \w+)* (?:in|bei|nahe)|"
    r"(?:vivo|vives|vive|vivimos|viven|vivia|naci|nacio|nacid[oa]|me crie|se crio|crie|creci|crecio|resido)(?: \w+)? "
    r"(?:en|cerca de)|"
    r"(?:habit(?:e|es|ent|ons|ais|ait)|vis|vit|vivons|nee?|grandi|installee?s?)(?: \w+)? (?:a|pres de))\s+"
)
_COMING = re.compile(
    r"(?<!\w)(?:(?:i'm|he's|she's|they're|we're|i am|he is|she is|we are|come|comes|came|"
    r"commutes?|drives?|originally|people|"
    r"family|train)? ?from|"
    r"(?:move|moves|moved|moving|went|go|going|relocated)(?: back| over| down| up| out| away)? to|"
    r"(?:komm(?:e|en|t)|stamm(?:e|en|t)|pendelt|pendle|fahrt)(?: \w+){0,3} (?:aus|von)|"
    r"(?:bin|ist|sind)(?: \w+){0,2} aus|"
    r"(?:zieh(?:e|en|t)|gezogen|zuruck|umgezogen) nach|"
    r"(?:soy|somos|eres|es|vengo|viene|originari[oa]) de(?:sde)?|desde|"
    r"(?:mude|mudo|mudamos|vuelto|volvio|ido|traslade|traslado)(?: \w+)? a|"
    r"(?:viens|vient|venons|arrive|originaires?|suis|rentre)(?: \w+){0,3}? de|"
    r"(?:reparti|repartie|retourne|retournee|demenage|parti|partie|revenue?)(?: \w+)? (?:a|pour|vers))\s+"
)
"""Like `_LIVING`, and said of much else: without a capital, a list has to know the town."""
_COMMA_NAME = re.compile(r"[ \t\u00a0]|[ \t]?-[ \t]?|['\u2019]|\. ")
_PARTICLES = frozenset(
    str.split("de la le les du des von van der den dem zu del los las y da di el al bin ben st san sainte saint bad")
)
_PLACE_JOINS = frozenset(str.split("de la le les du des del los las sur sous en am an der im upon on le-"))
_MAX_NAME_WORDS = 4

_HANZI = r"[\u4e00-\u9fff]"
_SURNAMES = (
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范金石廖"
    "贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤温康施文牛樊葛邢安齐易乔伍庞颜倪庄聂章鲁岳翟殷詹申"
    "欧耿关兰焦俞左柳甘祝包宁尚符舒阮柯纪梅童凌毕单季裴霍涂成苗谷盛曲翁冉骆蓝路游辛靳管柴蒙鲍华喻祁蒲房滕屈饶解牟艾尤阳时穆农司卓"
    "古吉缪简车项连芦麦褚娄窦戚岑景党宫费卜冷晏席卫米柏宗瞿桂全佟应臧闵苟邬边卞姬师和仇栾隋商刁沙荣巫寇桑郎甄丛仲虞敖巩明佘池查麻苑迟邝"
)
_DOUBLE = "欧阳|司马|上官|诸葛|司徒|东方|皇甫|尉迟|公孙|慕容|令狐|长孙|宇文|夏侯|轩辕|端木|百里|呼延|南宫"
_CHINESE_NAME = rf"(?:(?:{_DOUBLE}){_HANZI}{{1,2}}|[{_SURNAMES}]{_HANZI}{{1,2}})"
_NO_NAME = (
    "来的是在有不就都也很和跟对说要去了吗呢吧啊嘛会能可得着过把被让给到从向为以及但而且或还再又只才已"
    "这那哪什怎么们我你他她它"
)
_ENDS_NAME = re.compile(rf"[{_NO_NAME}\W\d_]|$")
_TITLES_ZH = (
    "先生|女士|小姐|太太|夫人|老师|医生|大夫|护士|教授|同学|阿姨|叔叔|师傅|经理|主任|校长|律师|警官|博士|爷爷|奶奶|大爷|"
    "大妈|哥|姐"
)
_CALLED_ZH = re.compile(
    rf"(?:我叫|名叫|名字叫|名字是|叫做|全名是|姓名[是\uff1a:]?\s?|她叫|他叫|就叫|本人)\s?({_HANZI}{{1,4}}(?:·{_HANZI}{{1,6}})?)"
)
_SURNAME_ZH = re.compile(rf"(?:我|他|她|免贵|贵)?姓\s?({_DOUBLE}|[{_SURNAMES}])")
_TITLED_ZH = re.compile(rf"((?:{_DOUBLE}|[{_SURNAMES}]){_HANZI}{{0,2}}?)(?={_TITLES_ZH})")
_AFTER_ZH = re.compile(
    rf"(?:我是|这是|那是|他是|她是|请找|找|告诉|告诉了|问|问了|通知|联系|认识|遇到|见到|后来|然后|女儿|儿子|老公|老婆|爱人|丈夫|妻子|朋友|同事|"
    rf"邻居|同学|哥哥|姐姐|弟弟|妹妹|室友|前台的|班上的|单位的)\s?({_CHINESE_NAME})"
)
_KIN_ZH = re.compile(
    rf"(?:女儿|儿子|孙女|孙子|外孙|宝宝|妹妹|弟弟)(?:叫)?({_HANZI}{{2}})(?=马上|今年|已经|现在|明年|要|在|刚|还|很|说|去|上)"
)
_START_ZH = re.compile(
    rf"(?:^|[\s\uff0c。、\uff01\uff1f\uff1b\uff1a,.!?;:])({_CHINESE_NAME})(?=[\s\uff0c。、,.!?]|老师|说|就|是|告诉|来|去|$)"
)
_FOREIGN_ZH = re.compile(rf"{_HANZI}{{2,6}}·{_HANZI}{{1,8}}(?:·{_HANZI}{{1,8}})?")
_PLACE_ZH = re.compile(
    rf"(?:老家(?:是|在)|家乡(?:是|在)|来自|住在|搬到(?:了)?|搬去|出生在|生在|出生于|祖籍(?:是)?|籍贯(?:是)?|定居在?|长大在)({_HANZI}{{2,6}}?)"
    rf"(?=的|了|\uff0c|。|,|\s|$|后来|两|三|几|已|现在|那|这|好|\uff0c|[{_NO_NAME}])|"
    rf"在({_HANZI}{{2,4}}?)(?=长大|出生|读书|上学|工作|打工)|从({_HANZI}{{2,4}}?)(?=坐|过来|来的|赶|开车|搬)|"
    rf"回(?:到)?({_HANZI}{{2,4}}?)(?=他|她|我|老家|去了|了|过年|看)"
)
_NO_PLACE_ZH = frozenset(
    {
        *(
            "市中",
            "学校",
            "农村",
            "海边",
            "山上",
            "上面",
            "下面",
            "里面",
            "旁边",
            "对面",
            "这边",
            "那边",
            "今天",
            "小时",
            "现在",
            "前面",
        ),
        *(
            "家里",
            "外面",
            "学校",
            "公司",
            "国外",
            "这里",
            "那里",
            "一起",
            "哪里",
            "楼上",
            "楼下",
            "宿舍",
            "附近",
            "城市",
            "超市",
            "农村",
            "地区",
        ),
        *(
            "家",
            "医院",
            "老家",
            "单位",
            "办公室",
            "乡下",
            "城里",
            "市区",
            "小区",
            "郊区",
            "校区",
            "社区",
            "山区",
            "景区",
            "时候",
            "自己",
        ),
    }
)


_NO_PERSON_ZH = frozenset(
    {
        *(
            "马上",
            "高兴",
            "黄色",
            "王子",
            "方便",
            "路上",
            "时候",
            "石头",
            "金色",
            "白天",
            "白色",
            "周末",
            "周一",
            "周二",
            "周三",
            "周四",
            "周五",
        ),
        *(
            "周六",
            "周日",
            "高中",
            "高级",
            "余下",
            "毛衣",
            "安静",
            "安全",
            "成功",
            "成为",
            "常常",
            "关于",
            "关系",
            "万一",
            "方法",
            "方面",
            "包括",
        ),
        *(
            "解决",
            "应该",
            "单位",
            "时间",
            "平时",
            "温度",
            "边上",
            "古代",
            "和平",
            "马路",
            "水平",
            "明白",
            "明天",
            "高度",
            "文化",
            "田野",
            "石油",
        ),
        *(
            "任何",
            "任务",
            "连续",
            "简单",
            "经常",
            "钟头",
            "孩子",
            "花园",
            "花了",
            "鱼",
            "龙头",
            "钱包",
            "雷雨",
            "于是",
            "何必",
            "何况",
            "向来",
        ),
        *(
            "张嘴",
            "张开",
            "江边",
            "湖边",
            "金钱",
            "陆续",
            "程度",
            "施工",
            "宫殿",
            "米饭",
            "车站",
            "车上",
            "司机",
            "师傅",
            "沙发",
            "沙子",
            "谢谢",
        ),
    }
)


def find_announced_names(tokens: Tokens) -> Iterator[PiiSpan]:
    """Yield names and places that words around them announce."""
    folded = fold_same_length(tokens.text).replace("\u2019", "'")
    for match in _NAMED.finditer(folded):
        yield from _name(tokens, match.end(), sure=True, score=STRONG)
    for match in _TITLED.finditer(folded):
        yield from _name(tokens, match.end(), sure=True, score=STRONG)
    for match in _ASKED.finditer(folded):
        yield from _name(tokens, match.end(), sure=False, score=LIKELY)
    for match in _OTHERS.finditer(folded):
        yield from _name(tokens, match.end(), sure=False, score=LIKELY)
    for pattern, sure in ((_LIVING, True), (_COMING, False)):
        for match in pattern.finditer(folded):
            yield from _place(tokens, match.end(), sure=sure)
    if re.search(_HANZI, tokens.text):
        yield from _chinese(tokens.text)


def _name(tokens: Tokens, place: int, *, sure: bool, score: float) -> Iterator[PiiSpan]:
    """Yield the name that begins at a place; `sure` where nothing but a name stands there."""
    at = tokens.index_at(place)
    words = tokens.all
    if at >= len(words) or words[at].start > place + 1 or not _is_name(words[at], sure=sure):
        return
    end = at + 1
    while end < len(words) and end - at < _MAX_NAME_WORDS and _COMMA_NAME.fullmatch(tokens.gap_before(end)):
        word = words[end]
        if word.key in _PARTICLES and end + 1 < len(words) and _COMMA_NAME.fullmatch(tokens.gap_before(end + 1)):
            if not _continues_name(words[end + 1]):
                break
            end += 2
        elif _continues_name(word):
            end += 1
        else:
            break
    yield PiiSpan(words[at].start, words[end - 1].end, PERSON, score)


def _is_name(word: Token, *, sure: bool) -> bool:
    if _is_plain(word) or len(word.key) < 2:
        return False
    if sure:
        return word.capital or word.flat
    return is_given_name(word.key) or (is_family_name(word.key) and word.capital)


def _continues_name(word: Token) -> bool:
    if _is_plain(word) or len(word.key) < 2:
        return False
    if word.capital and not word.flat:
        return True
    return word.flat and (is_given_name(word.key) or is_family_name(word.key))


def _is_plain(word: Token) -> bool:
    """Tell whether a word is one of everybody's in one of these languages, so that it names nobody."""
    key = word.key
    # “n'a”, “l'homme”: what stands before the apostrophe says that it is no name.
    if len(key) > 2 and key[1] == "'" and key[0] in "cdjlmnst" and not word.capital:
        return True
    return key in function_words() or key in capitalized_non_names() or key in plain_words()


def _place(tokens: Tokens, place: int, *, sure: bool) -> Iterator[PiiSpan]:
    """Yield the town that begins at a place: of a list, or a word with a capital, or one that nobody knows."""
    at = tokens.index_at(place)
    words = tokens.all
    if at >= len(words) or words[at].start != place:
        return
    for count in range(min(_MAX_NAME_WORDS, len(words) - at), 0, -1):
        part = words[at : at + count]
        if all(tokens.gap_before(at + i) in (" ", "-", "'") for i in range(1, count)) and _is_listed(part):
            yield PiiSpan(place, part[-1].end, PLACE, LIKELY)
            return
    end = at
    while end < len(words) and end - at < _MAX_NAME_WORDS and (end == at or tokens.gap_before(end) in (" ", "-")):
        word, after = words[end], words[end + 1] if end + 1 < len(words) else None
        if end > at and word.key in _PLACE_JOINS and after and tokens.gap_before(end + 1) in (" ", "-"):
            if not (after.capital and not after.flat):
                break
            end += 2
        elif _may_be_place(word, after, first=end == at, sure=sure):
            end += 1
        else:
            break
    if end > at:
        yield PiiSpan(place, words[end - 1].end, PLACE, WEAK)


def _is_listed(words: Sequence[Token]) -> bool:
    name = " ".join(word.key for word in words).replace("-", " ")
    if name not in small_places() and name not in places():
        return False
    return not all(_is_plain(word) or is_common(word.key) for word in words) or all(
        word.capital and not word.flat for word in words
    )


def _may_be_place(word: Token, after: Token | None, *, first: bool, sure: bool) -> bool:
    capital = word.capital and not word.flat
    if _is_plain(word) or len(word.key) < 3:
        return capital and first and after is not None and after.capital and not word.flat and not _is_plain(after)
    if capital:
        return True
    if not word.flat or not sure:
        return False
    if not is_common(word.key):
        return True
    # “great malvern”: a common word before one that nobody knows.
    return first and word.key in _BEFORE_TOWNS and after is not None and not is_common(after.key)


_BEFORE_TOWNS = frozenset(
    str.split("great little high low upper lower north south east west new old long market saint st bad port")
)


def _chinese(text: str) -> Iterator[PiiSpan]:
    for match in _CALLED_ZH.finditer(text):
        end = match.end(1)
        cut = _ENDS_NAME.search(text, match.start(1) + 1, end)
        if cut and "·" not in match[1]:
            end = cut.start() or end
        if text[match.start(1)] not in _NO_NAME:
            yield PiiSpan(match.start(1), end, PERSON, STRONG)
    for pattern, score in ((_SURNAME_ZH, STRONG), (_TITLED_ZH, LIKELY), (_FOREIGN_ZH, LIKELY)):
        for match in pattern.finditer(text):
            span = match.span(1) if match.re.groups else match.span()
            yield PiiSpan(*span, PERSON, score)
    for pattern in (_AFTER_ZH, _START_ZH, _KIN_ZH):
        for match in pattern.finditer(text):
            start, end = match.span(1)
            if end - start == 3 and text[end - 1] in _NO_NAME:
                end -= 1
            if text[start : start + 2] in _NO_PERSON_ZH:
                continue
            if end - start >= 2 and not set(text[start + 1 : end]) & set(_NO_NAME):
                yield PiiSpan(start, end, PERSON, LIKELY)
    for match in _PLACE_ZH.finditer(text):
        group = next(number for number in range(1, 5) if match[number])
        place = match[group]
        if place not in _NO_PLACE_ZH and place[:2] not in _NO_PLACE_ZH and place[0] not in _NO_NAME + "一几某每很个":
            yield PiiSpan(*match.span(group), PLACE, WEAK)
