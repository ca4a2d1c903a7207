"""By which words, and in which spellings of them, somebody is found, and what is somebody else's."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from project.erasure.personal_strings import BIRTH, PersonalString, find_contacts
from project.erasure.subject_terms import NEAR, IdentifyingTerms
from project.text_matching.spellings import find_dates, squeeze, squeeze_letters

SEARCH = IdentifyingTerms(
    ["Zebédiah Quux", "P01", "O'Brien-Müller"],
    strings=[
        PersonalString("phone", "+44 7700 900123"),
        PersonalString("e-mail", "zq@example.org"),
        PersonalString("date-of-birth", "3 May 1982"),
        PersonalString("address", "12 Acacia Avenue"),
        PersonalString("account", "DE89 3704 0044 0532 0130 00"),
    ],
)


@pytest.mark.parametrize(
    "text",
    [
        *("zebediahquux@example.com", "zquux@example.com", "z.quux", "quuxz", "zebediahq", "@zebediah_quux"),
        *("#ZebediahQuux", "quux-zebediah.mp4", "left_ZebediahQuux_02.mp4", "obrienmueller", "OBrien Müller"),
        *("q u u x", "Q-U-U-X", "Q. U. U. X.", "Q, double U, X", "quebec uniform uniform xray"),
        "q as in quebec u as in uniform u as in uniform x as in xray",
        *("Zebe-diah", "Zebe\u00addiah", "Z\u200be\u200bb\u200be\u200bdiah Quux", "\uff31\uff35\uff35\uff38"),
        *("zebediah%20quux", "zeb&eacute;diah quux", "\u0440-01", "P 01", "o'brien muller"),
        *("07700 900123", "0044 (0)7700/900-123", "\uff10\uff17\uff17\uff10\uff10 900123"),
        "seven seven double oh nine double oh one two three",
        "seven seven hundred nine hundred one two three",
        "sieben sieben null null neun null null eins zwei drei",
        *("zq at example dot org", "ZQ@EXAMPLE.ORG"),
        *("1982-05-03", "3.5.82", "03/05/1982", "May 3rd, 1982", "3. Mai 1982", "le 3 mai 1982", "19820503"),
        "the third of May nineteen eighty two",
        *("Acacia Ave 12", "12, acacia avenue", "DE89-3704-0044-0532-0130-00"),
    ],
)
def test_another_spelling_is_found(text: str) -> None:
    assert SEARCH.matches_text(text)
    assert SEARCH.matches_text(f"they said: {text}, and left")


_SAID_DIGITS = {
    "en": "zero one seven six four five one two nine zero three eight",
    "de": "null eins sieben sechs vier f\u00fcnf eins zwei neun null drei acht",
    "fr": "z\u00e9ro un sept six quatre cinq un deux neuf z\u00e9ro trois huit",
    "es": "cero uno siete seis cuatro cinco uno dos nueve cero tres ocho",
    "it": "zero uno sette sei quattro cinque uno due nove zero tre otto",
    "nl": "nul een zeven zes vier vijf een twee negen nul drie acht",
}


def test_a_number_is_found_as_it_is_said_whatever_joins_its_digits() -> None:
    search = IdentifyingTerms(strings=[PersonalString("phone", "0176 4512 9038")])
    for digits in _SAID_DIGITS.values():
        for joint in (" ", ", ", "-", "\n"):
            said = joint.join(digits.split())
            assert search.matches_text(f"it is {said}"), said
            assert search.matches_text(said.upper()), said


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Anna Meier", "M wie Martha, E wie Emil, I wie Ida, E wie Emil, R wie Richard"),
        ("Anna Meier", "A doppel N A"),
        ("Anna Voss", "viktor otto siegfried siegfried"),
        ("Anna Voss", "viktor otto samuel siegfried"),
        ("J.R.", "I met j.r. today"),
        ("A. B.", "left_a. b..mp4"),
    ],
)
def test_a_name_is_found_as_it_is_spelled_out_and_initials_in_small_letters(name: str, text: str) -> None:
    assert IdentifyingTerms([name]).matches_text(text)


@pytest.mark.parametrize(
    "text",
    [
        *("the queue", "P011", "XP01", "a p 01x", "12 avenues", "in 1982", "on 4 May 1982", "3 May 1983"),
        *("call 07700 900124", "quuxter", "a mull of it", "112 acacia", "DE89 3704 0044"),
    ],
)
def test_another_word_or_number_is_not(text: str) -> None:
    assert not SEARCH.matches_text(text)


def test_common_words_of_a_name_are_one_with_a_capital_or_joined_alone() -> None:
    for names, theirs, others in (
        (
            ["Rose Will"],
            ("rose.will", "r.will", "RoseWill", "Will, Rose", "r o s e", "@rose"),
            ("it will rose", "arose"),
        ),
        (["Mark von May", "otto von berg"], ("Mark", "MARK laughs", "mark von may"), ("may", "a mark", "marks", "von")),
        (["A. B.", "A12"], ("A. B. laughs",), ("a b", "it was so. a b", "ab.", "a. better one", "a 12 year old")),
    ):
        terms = IdentifyingTerms(names)
        assert [text for text in theirs if not terms.matches_text(text)] == []
        assert [text for text in others if terms.matches_text(text)] == []


_NAMES = st.from_regex(
    r"[A-Z][bcdfghjklmnpqrstvwxz]{1,2}[aeiou][a-z]{3,6} [A-Z][bcdfghjklm][aeiou][a-z]{3,6}", fullmatch=True
)
_SEPARATORS = st.text(" .-_/,\u00a0\u2011\u200b", min_size=0, max_size=3)


@settings(max_examples=settings.default.max_examples // 3)
@given(_NAMES, st.lists(_SEPARATORS, min_size=30, max_size=30), st.booleans())
def test_a_name_with_any_separators_between_any_letters_is_found_run_together(
    name: str, separators: list[str], large: bool
) -> None:
    letters = name.replace(" ", "")
    text = "".join(a + b for a, b in zip(letters, separators, strict=False))
    assert IdentifyingTerms([name]).matches_text(text.upper() if large else text.lower())


@given(st.dates())
def test_a_day_is_found_in_every_format(day) -> None:
    search = IdentifyingTerms(strings=[PersonalString(BIRTH, day.strftime("%d %B ") + f"{day.year:04}")])
    forms = ("%d.%m.", "%d/%m/", "%m/%d/", "%d-%m-", "%d %b ", "%B %d, ", "%dth of %B ")
    assert all(search.matches_text(day.strftime(form) + f"{day.year:04}") for form in forms)
    assert search.matches_text(f"{day.year:04}-{day.month:02}-{day.day:02}")


@given(st.text())
def test_no_text_stops_the_search_and_every_letter_has_a_place(text: str) -> None:
    found = squeeze(text)
    assert all(0 <= place < len(text) for place in found.places)
    assert found.letters == squeeze_letters(text)
    SEARCH.matches_text(text)
    find_dates(text)
    [*find_contacts(text)]


SIGNS = IdentifyingTerms(
    ["欧阳小明", "王明", "김민수"],
    strings=[
        PersonalString("phone", "13812345678"),
        PersonalString("date-of-birth", "1982年5月3日"),
        PersonalString("id", "11010519491231002X"),
        PersonalString("address", "朝阳区建国路88号"),
    ],
)


@pytest.mark.parametrize(
    "text",
    [
        *("欧阳 小明来了", "欧阳·小明同学", "欧\u3000阳\u3000小\u3000明", "@欧阳小明_2"),
        *("王·明说", "王_明.mp4", "김 민수는"),
        *("幺三八幺二三四五六七八", "一三八 一二三四 五六七八", "一一零一零五一九四九一二三一零零二x"),
        "\uff11\uff13\uff18\uff11\uff12\uff13\uff14\uff15\uff16\uff17\uff18",
        *("一九八二年五月三日", "八二年五月三号", "1982-05-03", "朝阳区建国路八十八号"),
    ],
)
def test_chinese_and_korean_names_numbers_and_days_are_found(text: str) -> None:
    assert SIGNS.matches_text(f"see {text}")


def test_what_is_like_them_in_chinese_is_not_theirs_and_a_birth_is_known_to_be_theirs_wherever_it_stands() -> None:
    others = ["他姓王 明天来", "小明来了", "五月三日", "一九八二年五月四日", "我有十二只猫", "김민지"]
    assert [text for text in others if SIGNS.matches_text(text)] == []
    assert all(PersonalString(BIRTH, text).is_exact for text in ("1982年5月3日", "一九八二年五月三日"))
    assert find_dates("1982년 5월 3일") == find_dates("1982年5月3日") == {(82, 5, 3)}


@pytest.mark.parametrize(
    ("kind", "known", "said"),
    [
        ("date-of-birth", "1982-05-03", "am dritten Mai neunzehnhundertzweiundachtzig geboren"),
        ("date-of-birth", "1982-05-03", "el tres de mayo de mil novecientos ochenta y dos"),
        ("date-of-birth", "1982-05-03", "le trois mai mille neuf cent quatre-vingt-deux"),
        ("phone", "06 12 34 56 78", "zéro six douze trente-quatre cinquante-six soixante-dix-huit"),
        ("phone", "0176 12 34 567", "null eins sieben sechs zwölf vierunddreißig fünf sechs sieben"),
        ("address", "Mayor 12, calle", "mayor doce"),
        ("address", "12 rue de la Paix Dieu", "Paix-Dieu 12"),
    ],
)
def test_whole_numbers_of_other_languages_are_read(kind: str, known: str, said: str) -> None:
    search = IdentifyingTerms(strings=[PersonalString(kind, known)])
    assert search.matches_text(said)
    assert not search.matches_text("vierhundertzwölf Leute, douze rues, doce calles, thirteen mayors")


SAID = "my grandmother kept seven blue herons in her bathtub"


def test_names_are_found_as_words_in_any_case_and_no_other_name_or_part_of_a_word_is_theirs() -> None:
    theirs = {
        "P01": ["then p01.", "(P01)", "P01_kitchen.mp4"],
        "Änna Lind": ["a\u0308nna lind", "Änna's turn", "Linds turn", "annas mug", '{"a": "\\u00c4nna Lind"}', "Änna2"],
        "Anna": ["An\u00adna", "An\u200bna laughs", "Annaさん"],
        "O'Neil": ["o\u2019neil's"],
        "Anna\u2011Lena": ["Anna-Lena"],
        "김민준": ["김민준이 웃는다"],
    }
    others = {
        "A": ["A2", "a laugh"],
        "P01": ["P011", "XP01", "somebody"],
        "Änna Lind": ["linden", "annabel", ""],
        "Lena": ["Helena"],
        "A. B.": ["ABOUT a, b"],
        "Bo Ek": ["BOEKEN"],
    }
    assert [
        (name, text) for name in theirs for text in theirs[name] if not IdentifyingTerms([name]).matches_text(text)
    ] == []
    assert [
        (name, text) for name in others for text in others[name] if IdentifyingTerms([name]).matches_text(text)
    ] == []


@pytest.mark.parametrize(
    "text", ["Lind laughs", "Anna Lind", "A\u0308nna Lind", "x\nL\u00adind\ny", SAID, "\\u004cind", "x_ÄNNA LIND_y"]
)
def test_what_is_found_is_not_there_once_it_was_replaced(text: str) -> None:
    found = IdentifyingTerms(["Änna Lind"], said=[SAID], quoted=NEAR)
    assert found.matches_text(text)
    assert not found.matches_text(found.redact_text(text))


def test_a_sentence_is_found_where_enough_of_it_stands() -> None:
    near, far = IdentifyingTerms(said=[SAID], quoted=NEAR), IdentifyingTerms(said=[SAID])
    part = "They said: “Grandmother kept seven blue herons in…”"
    assert (near.matches_text(part), far.matches_text(part)) == (True, False)
    assert not near.matches_text("my grandmother kept seven blue")


def test_words_are_found_in_json_also_one_by_one() -> None:
    found = IdentifyingTerms(["Änna Lind"])
    assert found.matches_json([["Änna", 1, 2], ["Lind", 2, 3]])
    assert found.matches_json_text(json.dumps({"x": ["said Änna Lind"]}))
    assert found.matches_json({"Änna Lind": 1})
    assert found.prune_json({"a": ["Änna Lind", "b"], "Änna Lind": 2, "c": "Änna Lind", "d": None}) == {
        "a": ["b"],
        "d": None,
    }


def test_a_first_name_that_two_share_is_not_theirs_in_the_whole_name_of_the_other() -> None:
    terms = IdentifyingTerms(
        ["Anna Lind"], said=["he is called Anna Berg by all"], quoted=6, others=["Anna Berg", "Bo"]
    )
    for text in ("Anna Berg laughs", "anna_berg.mp4", "ANNA BERG's turn"):
        assert not terms.matches_text(text)
    for text in ("Anna Berg and Anna", "Anna Lind, Anna Berg", "Anna laughs", "he is called Anna Berg by all"):
        assert terms.matches_text(text)
    for name in ("Anna Berg", "Annaberg"):
        assert IdentifyingTerms([name], others=["Anna Berg"]).matches_text("Anna Berg laughs"), "both are called so"
