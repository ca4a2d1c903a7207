"""What may not stay in a text does not, and what is written instead is the same for the same person and thing."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from anonymize.pii_detection.pii_finder import PersonalFinder
from anonymize.pii_detection.pii_replacement import PersonalPlaces, Replacements, choose_stand_ins
from anonymize.pii_detection.text_scrubber import OMISSION_MARK, PhraseMatcher, TextScrubber
from project.text_matching.text_views import fold
from tests.pii.labelled import listed

FINDER = PersonalFinder()


def _all(texts: list[str], replacements: Replacements) -> list[str]:
    hits = [hit for text in texts for hit in FINDER.find(text)]
    replacements.number_hits(hits)
    return [replacements.replacement_for(hit) for hit in hits]


def test_the_same_person_has_one_number_in_every_form() -> None:
    texts = ["I'm Gwendolyn Hughes", "thanks Gwendolyn", "is it g w e n d o l y n", "GWENDOLYN'S bag", "and Tobias"]
    assert _all(texts, Replacements()) == ["[PERSON_1]"] * 4 + ["[PERSON_2]"]


def test_a_first_name_that_two_people_have_is_neither() -> None:
    texts = ["I'm Gwendolyn Hughes", "I'm Gwendolyn Kowalski", "thanks Gwendolyn"]
    assert _all(texts, Replacements()) == ["[PERSON_1]", "[PERSON_2]", "[PERSON_3]"]


def test_a_number_is_the_same_spoken_and_written() -> None:
    texts = ["call five five five, oh one two three", "call 555 0123", "call 555-0124"]
    assert _all(texts, Replacements()) == ["[PHONE_1]", "[PHONE_1]", "[PHONE_2]"]


def test_what_people_chose_is_written_and_its_number_is_nobody_elses() -> None:
    made = Replacements({"Tobias": "[PERSON_1]"})
    made.reserve_numbers(["[PERSON_3] said so"])
    assert _all(["I'm Anastasia", "thanks Tobias", "I'm Bilal"], made) == ["[PERSON_4]", "[PERSON_1]", "[PERSON_5]"]


def test_stand_ins_are_fixed_and_never_taken() -> None:
    first = choose_stand_ins(["a", "b"], "seed", [])
    assert first == choose_stand_ins(["a", "b"], "seed", [])
    assert len(set(first.values())) == 2
    assert choose_stand_ins(["a"], "seed", [first["a"].upper()])["a"] != first["a"]
    many = choose_stand_ins([str(n) for n in range(200)], "seed", [])
    assert len(set(many.values())) == 200


def test_scrubbing_keeps_what_is_kept_and_finds_nothing_in_its_own_work() -> None:
    text = "I'm Anastasia, and this is Bilal."
    keep = text.index("Bilal")
    places = PersonalPlaces(FINDER.find, Replacements(people={"p": "Rowan"}), {text})
    kept = TextScrubber({}, (places,), lambda one: [(keep, keep + 5)] if one == text else [])
    assert kept.scrub(text).text == "I'm [PERSON_1], and this is Bilal."
    begun = TextScrubber({}, (places,), lambda one: [(keep, keep + 2)] if one == text else [])
    assert "Bilal" not in begun.scrub(text).text, "a name that only begins in what is kept"
    assert TextScrubber({}, (places,)).scrub("Thanks, Rowan.").text == "Thanks, Rowan."


# Texts are scrubbed

WORDS = {"Anna": "P01", "José Álvarez": "P02", "Kurt Weiß": "A01", "ward 7": "[place]", "Bo": "A02"}
SCRUBBER = TextScrubber(WORDS)


def test_what_it_takes_out_and_what_it_leaves() -> None:
    for before, after in listed("scrubbed.jsonl"):
        assert SCRUBBER.scrub(before).text == after


def test_a_replacement_that_is_itself_private_is_not_written() -> None:
    found = TextScrubber({"name": "P01", "Anna": "the name of Bo", "Bo": "x"}).scrub("Anna, mail a@b.cd, name")
    assert found.text == f"{OMISSION_MARK}, mail [e-mail], P01"


names = st.text(st.characters(categories=("L", "Nd", "Zs", "Po", "Mn")), min_size=1, max_size=8)
texts = st.text(st.characters(exclude_categories=("Cs",)), max_size=40)


@given(st.dictionaries(names, names, min_size=1, max_size=5), st.data())
def test_no_private_word_survives_and_scrubbing_again_does_nothing(words: dict[str, str], data: st.DataObject) -> None:
    parts = st.one_of(texts, st.sampled_from([*words, *(word.upper() for word in words)]), st.just(" "))
    text = "".join(data.draw(st.lists(parts, max_size=8)))
    scrubber = TextScrubber(words)
    once = scrubber.scrub(text)
    assert PhraseMatcher(words).find_first(once.text) is None
    again = scrubber.scrub(once.text)
    assert again.text == once.text
    assert again.replacements == ()


@given(st.sampled_from(["Anna", "José Álvarez", "Kurt Weiß", "Œuvre Łódź"]), texts, texts, st.booleans(), st.booleans())
def test_a_name_is_found_in_any_case_and_form(name: str, before: str, after: str, upper: bool, apart: bool) -> None:
    shown = name.upper() if upper else name
    shown = unicodedata.normalize("NFD", shown) if apart else shown
    scrubbed = TextScrubber({name: "P01"}).scrub(f"{before} {shown} {after}").text
    plain = f" {fold(scrubbed)} "
    assert f" {fold(name)} " not in plain


def test_a_word_is_found_in_the_forms_of_its_script_and_however_its_parts_are_joined() -> None:
    for word, text in listed("forms.jsonl"):
        done = TextScrubber({word: "#"}).scrub(text).text
        assert "#" in done, text
        for name in (word, "Владимира", "Анны", "Γιώργο", "Mueller", "OBrien", "o brien", "jean luc", "jeanluc", "LUC"):
            assert name not in done
    for word, text in (("Анна", "панна"), ("Ann-Lee", "Annleeds")):
        assert TextScrubber({word: "#"}, ()).scrub(text).text == text, "a word is not found inside another"
