"""What is written instead is the same for the same person and thing."""

from anonymize.pii_detection.pii_finder import PersonalFinder
from anonymize.pii_detection.pii_hit import PiiMatch
from anonymize.pii_detection.pii_replacement import PersonalPlaces, Replacements, choose_stand_ins
from anonymize.pii_detection.text_scrubber import TextScrubber

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


def test_all_names_of_a_participant_are_one() -> None:
    made = Replacements(people={"p": "Rowan"})
    assert made.replacement_for(PiiMatch(0, 2, "person", "Jo", 1.0, "study", "p")) == "Rowan"
    assert made.replacement_for(PiiMatch(0, 4, "person", "Joey", 1.0, "study", "p", "Jo")) == "Rowan"
    assert made.replacement_for(PiiMatch(0, 2, "phone", "12", 1.0, "rules", "p")) == "[PHONE_1]"


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
    assert TextScrubber({}, (places,)).scrub("Thanks, Rowan.").text == "Thanks, Rowan."
