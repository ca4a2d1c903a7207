"""What a local model answers: always in form, the same for the same seed, to pictures too, and only to what fits."""

import asyncio

import cv2
import numpy as np
import pytest

from models.judges.judge_interface import JudgeFrame, RepairLevel
from models.judges.llama_cpp import model_process as sharing
from project.entities.judgments import JudgmentStatus
from project.files.fingerprints import file_sha256
from tests.builders.local_judge import CONTEXT, Answer, Made, asked, question
from tests.builders.tiny_gguf import TinyModel


def _pictures(count: int, seed: int = 0) -> tuple[JudgeFrame, ...]:
    noise = np.random.default_rng(seed).integers(0, 255, (count, 36, 64, 3), np.uint8)
    jpegs = [cv2.imencode(".jpg", one)[1].tobytes() for one in noise]
    return tuple(JudgeFrame(at * 1_000_000, f"{at}.0 s", jpeg, 64, 36) for at, jpeg in enumerate(jpegs))


def test_an_answer_of_random_weights_fits_the_schema_whatever_is_drawn(make_judge: Made) -> None:
    replies = asked(make_judge(), *(question(temperature=1.8, seed=seed) for seed in range(4)))
    assert [reply.status for reply in replies] == [JudgmentStatus.OK] * 4, [reply.error for reply in replies]
    assert {reply.mended for reply in replies} == {RepairLevel.NOTHING}
    answers = [Answer.model_validate(reply.answer) for reply in replies]
    assert len({answer.model_dump_json() for answer in answers}) == 4


def test_the_same_seed_gives_the_same_text_whatever_was_asked_before(make_judge: Made) -> None:
    pictures = _pictures(2)
    wanted = [question(seed=5), question("Other.", seed=5), question(pictures=pictures, seed=5), question(seed=6)]
    first = [reply.raw for reply in asked(make_judge(), *wanted)]
    again = [reply.raw for reply in asked(make_judge(), *reversed(wanted))]
    assert first == again[::-1]
    assert len({*first}) == len(first)


def test_fifteen_pictures_are_seen_where_it_does_not_read_only(make_judge: Made, tiny_gguf: TinyModel) -> None:
    judge = make_judge()
    blind, seen, others = asked(
        judge, question(seed=1), question(pictures=_pictures(15), seed=1), question(pictures=_pictures(15, 9), seed=1)
    )
    assert seen.status is others.status is JudgmentStatus.OK
    assert seen.tokens_in is not None
    assert blind.tokens_in is not None
    # Four tokens a picture, and the seconds that are said with each.
    assert seen.tokens_in > blind.tokens_in + 15 * 4
    assert len({blind.raw, seen.raw, others.raw}) == 3
    reading = make_judge(sees="text")
    assert reading.fingerprint == file_sha256(tiny_gguf.model)
    assert judge.fingerprint == f"{reading.fingerprint}+{file_sha256(tiny_gguf.projector)}"
    with_pictures, without = asked(reading, question(pictures=_pictures(3)), question())
    assert (with_pictures.raw, with_pictures.tokens_in) == (without.raw, without.tokens_in)


@pytest.mark.parametrize("pictures", [0, 3])
def test_what_does_not_fit_is_not_begun_and_both_numbers_are_told(make_judge: Made, pictures: int) -> None:
    long = question("x" * CONTEXT, pictures=_pictures(pictures))
    reply, after = asked(make_judge(), long, question())
    assert reply.status is JudgmentStatus.ERROR
    assert reply.too_long.context_tokens == CONTEXT
    assert reply.too_long.requested_tokens is not None
    assert reply.too_long.requested_tokens > CONTEXT + 1500
    assert ("frames" in reply.error) == bool(pictures)
    assert "\n" not in reply.error
    assert after.status is JudgmentStatus.OK


def test_what_just_fits_is_answered_and_one_token_more_is_not(make_judge: Made) -> None:
    judge = make_judge()
    short = asked(judge, question("x"))[0]
    assert short.tokens_in is not None
    room = CONTEXT - short.tokens_in
    fits, full = asked(judge, question("x", max_tokens=room), question("xx", max_tokens=room))
    assert fits.status is JudgmentStatus.OK
    assert full.too_long.requested_tokens == CONTEXT + 1


def test_an_answer_that_was_cut_is_said_to_be(make_judge: Made) -> None:
    (reply,) = asked(make_judge(), question(max_tokens=20, seed=2))
    assert reply.status is JudgmentStatus.UNPARSED
    assert "20 tokens" in reply.error
    assert reply.calls == 2


def test_a_word_that_ends_a_turn_and_the_mark_of_a_picture_are_text_in_a_transcript(make_judge: Made) -> None:
    ended, plain, marked = asked(
        make_judge(),
        question("a</s>b", seed=3),
        question("a< /s>b", seed=3),
        question("a <__media__> b", pictures=_pictures(2)),
    )
    assert (ended.raw, ended.tokens_in) == (plain.raw, plain.tokens_in)
    assert marked.status is JudgmentStatus.OK, marked.error


def test_two_judges_at_once_share_one_process_and_take_turns(make_judge: Made) -> None:
    async def both() -> list[JudgmentStatus]:
        llama_judge, two = make_judge(), make_judge(temperature=0.5)
        replies = await asyncio.gather(
            *(judge.ask(question(seed=at)) for at in range(2) for judge in (llama_judge, two))
        )
        assert len({sharing.borrow_process(judge._loading).pid for judge in (llama_judge, two)}) == 1
        return [reply.status for reply in replies]

    assert asyncio.run(both()) == [JudgmentStatus.OK] * 4
