"""Fills a study with something of everything, so that no page of the window has to be shown empty."""

import json
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from annotate.chains.chain_drafts import ChainDraft, draw_node
from annotate.chains.chain_edits import add_chain_from_draft
from annotate.cues.prelabels import add_cue
from annotate.meta.meta_edits import add_contradiction, mark_scene_at, set_person_description, write_summary
from annotate.review.peer_review import review_segment
from annotate.segments.bulk_edits import add_comment
from annotate.segments.segment_edits import add_segment
from annotate.study.people import add_participant
from annotate.study.recording_edits import add_recordings, move_recording, probe_file, rename_recording
from anonymize.egress.egress_authority import StudyAuthority
from anonymize.export import export_job as anonymization
from anonymize.faces import face_tracking_job as tracking
from anonymize.faces.face_review_edits import assign_faces
from anonymize.methods.face_methods import recommended_method
from benchmark.authoring.synthetic_questions import add_synthetic_questions
from benchmark.judging.judge_registry import add_judge
from benchmark.questions.question_edits import add_questions
from benchmark.runs.run_plan import BenchmarkRequest
from benchmark.runs.scheduler import run_benchmark
from project.entities.causal_chains import NodeKind
from project.entities.egress_policy import EgressRequest, Purpose
from project.entities.frozen_items import ItemModality
from project.entities.judgments import JudgeEntry
from project.entities.questions import LookKind, Maker, Question, QuestionKind, SummarySource, WrongOption
from project.entities.study_records import Json, ParticipantRole, ReviewDecision, Utterance
from project.errors import UserError
from project.ids import new_id
from project.progress import Silent
from project.queries.face_rows import tracks_of
from project.queries.recording_rows import all_recordings, participants_in
from project.queries.segment_rows import all_segments
from project.queries.transcript_rows import insert_utterances
from project.session.jobs import run_inline
from project.session.session import Session
from project.store.study import Study
from project.synthetic.synthetic_study import fill_whole_study
from project.timebase import utc_now
from resources import resource
from tests.builders.item_sets import verdicts
from tests.builders.judgments import made_up, store
from tests.builders.questions_said import pass_all, said

ANNOTATOR = "Ada"
RECORDINGS, SEGMENTS = 12, 240
_LABELS = ("error", "none", "competence", "error") * 9
_RATIONALE = "It starts the next exercise while she is still telling how the last run felt."
_CORRECTION = "Wait until she has finished, then ask what happened in the last run."


def make_study(folder: Path, *, faces: bool = True) -> Path:
    """Make the study in a folder, or return the one that is there and can still be opened.

    Args:
        folder: where it goes, with the footage of the sample.
        faces: whether faces are looked for and a clip is rendered, which takes most of a minute.
    """
    path = folder / "social-robot-lab.greenroom"
    if path.exists() and _opens(path):
        return path
    path.unlink(missing_ok=True)
    folder.mkdir(parents=True, exist_ok=True)
    unfinished = folder / "unfinished.greenroom"
    unfinished.unlink(missing_ok=True)
    with Study.create(unfinished, "Social robot lab") as made:
        fill_whole_study(made, RECORDINGS, SEGMENTS)
        add_synthetic_questions(Session(made, "Annotator 1"), 0, Silent())
    with Session.open(unfinished, ANNOTATOR) as session:
        video = folder / "sample.mp4"
        video.write_bytes(resource("sample", "sample.mp4").read_bytes())
        (here,), _ = add_recordings(session, [probe_file(video)])
        _fill_sample(session, here)
        _ask(session, here)
        _benchmark(session)
        if faces:
            work = tracking.prepare(session, here)
            run_inline(session, work, Silent())
            user = next(
                participant.id
                for participant in participants_in(session.study, here)
                if participant.role is ParticipantRole.USER
            )
            assign_faces(session, [track.id for track in tracks_of(session.study, here)], user)
            clip = anonymization.prepare(session, here, recommended_method(), folder, overwrite=True)
            run_inline(session, clip, Silent())
    unfinished.rename(path)
    return path


def _opens(path: Path) -> bool:
    try:
        Study.open(path, read_only=True).close()
    except UserError:
        return False
    return True


def _fill_sample(session: Session, here: str) -> None:
    truth = json.loads(resource("sample", "sample.truth.json").read_text("utf-8"))
    user, _ = add_participant(session, "P99", ParticipantRole.USER, here)
    robot, _ = add_participant(session, "Robot B", ParticipantRole.ROBOT, here)
    lines = [
        Utterance(
            new_id(), here, one["start_us"], one["end_us"], one["text"], user if one["speaker"] == "user" else robot
        )
        for one in truth["utterances"]
    ]
    with session.step("Transcript"):
        insert_utterances(session.study, lines)
    for one in truth["segments"]:
        values = {key: one[key] for key in ("attributes", "channel", "rationale", "correction") if one.get(key)}
        made, _ = add_segment(session, here, one["start_us"], one["end_us"], one["verdict"], values)
        add_comment(session, made, "Is it the words, or that it does not wait? Both, I would say.")
    theirs = Session(session.study, "Annotator 1")
    for one in truth["segments"]:
        values = {"attributes": one["attributes"], "channel": "both", "rationale": _RATIONALE}
        made, _ = add_segment(theirs, here, one["start_us"] + 300_000, one["end_us"] - 200_000, one["verdict"], values)
        review_segment(session, made, ReviewDecision.AGREE)
    add_cue(session, lines[2].id, "action", "gesture", user, "Turns her hands over")
    add_cue(session, lines[1].id, "expression", "smile", user, "Smiles, briefly")
    _chain(session, here, user, robot, lines)
    _question(session, here)
    set_person_description(session, here, user, LookKind.HAIR, "shoulder-length, brown")
    set_person_description(session, here, robot, LookKind.CLOTHING, "white shell, a blue badge")
    write_summary(
        session, here, SummarySource.FRAMES, "A user sits across a robot.\nThe robot talks while she looks down."
    )
    write_summary(session, here, SummarySource.WORDS, "They talk about how her training went.")
    mark_scene_at(session, here, 12_887_000, "event", "interruption")
    _leave(session, here)
    _long_names(session)
    add_contradiction(session, here, "The user says that she is fine, and looks away.")


def _long_names(session: Session) -> None:
    """What a lab calls things: longer than anybody who lays a window out hopes for."""
    long = next(recording for recording in all_recordings(session.study) if recording.number == 4).id
    rename_recording(session, long, "2026-03-14 session 2, control group, camera at the window, second take")
    move_recording(session, long, "Wellness coaching at home, second round, with the families of those who took part")
    add_judge(session, "Qwen2.5-VL 72B, four bits, on the second server of the lab", "constant", "", {})


def _leave(session: Session, here: str) -> None:
    """Ask for what the journal of requests then shows: one server of this machine, and one that the policy refuses."""
    authority = StudyAuthority(session)
    authority.permit(EgressRequest(Purpose.TEST, "127.0.0.1", 8000, ("127.0.0.1",), local=True, size=61))
    for size, texts in ((5140, 1770), (6212, 2841)):
        away = EgressRequest(
            Purpose.JUDGE, "api.example.org", 443, ("192.0.2.7",), local=False, scheme="https", size=size, texts=texts
        )
        with suppress(UserError):
            authority.permit(replace(away, condition="raw", recording_id=here))


def _chain(session: Session, here: str, user: str, robot: str, lines: list[Utterance]) -> None:
    told = (
        (NodeKind.EVENT, "The robot asks how the training was.", 0, (robot,)),
        (NodeKind.EMOTION, "She is unsure whether it went well.", 1, (user,)),
        (NodeKind.EVENT, "She begins to tell how the last run felt.", 2, (user,)),
        (NodeKind.BELIEF, "The robot takes her pause for the end of the turn.", 3, (robot,)),
        (NodeKind.EVENT, "The robot talks over her.", 4, (robot,)),
        (NodeKind.EMOTION, "She feels passed over.", 5, (user,)),
    )
    nodes = tuple(
        draw_node(kind, text, lines[at].start_us, lines[at].end_us, people) for kind, text, at, people in told
    )
    add_chain_from_draft(
        session, here, ChainDraft("Talked over", nodes, ((0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (2, 4)))
    )


def _question(session: Session, here: str) -> None:
    wrong = ("It did not hear her.", "She asked it to go on.", "She had finished.", "It wants to end the session.")
    made = Question(
        id=new_id(),
        recording_id=here,
        chain_id=None,
        kind=QuestionKind.WRITTEN,
        aspect="",
        covers=(),
        made_from="",
        start_us=0,
        end_us=session.recording(here).duration_us,
        text="Why does the robot talk while she is still telling how the last run felt?",
        answer="It takes her pause for the end of her turn.",
        wrong=tuple(WrongOption(text) for text in wrong),
        explanation="She pauses in the middle of a sentence, and it begins at once.",
        seed=1,
        place=2,
        maker=Maker.PERSON,
        annotator_id="",
        judgment_id="",
        at=utc_now(),
    )
    add_questions(session, [made])
    more = [_esi(session, here, at) for at in range(8)]
    add_questions(session, more)
    judges = [JudgeEntry("judge-a", "InternVL3-38B", "constant"), JudgeEntry("judge-b", "Qwen2.5-VL 7B", "constant")]
    pass_all(session, more[:5], judges[0])
    for at, question in enumerate(more):
        for judge in judges:
            right = (at + len(judge.id)) % 3 != 0
            said(
                session,
                question,
                judge,
                "answer",
                {"answer": question.correct_letter if right else _other(question)},
                seed=2,
            )


def _other(question: Question) -> str:
    return next(letter for letter in "ABCDE" if letter != question.correct_letter)


def _esi(session: Session, here: str, at: int) -> Question:
    moments = (
        "greets her",
        "asks about the run",
        "talks over her",
        "says sorry",
        "waits",
        "nods",
        "looks away",
        "ends",
    )
    return Question(
        id=new_id(),
        recording_id=here,
        chain_id=None,
        kind=QuestionKind.ESI,
        aspect=("IFA", "BRI", "EBR", "EBA", "IDC")[at % 5],
        covers=(),
        made_from="",
        start_us=0,
        end_us=session.recording(here).duration_us,
        text=f"What does the user take from the moment in which the robot {moments[at]}?",
        answer=f"That it {moments[at]} because of what she said just before.",
        wrong=tuple(WrongOption(f"That it {doing}.") for doing in ("did not hear", "is broken", "is bored", "jokes")),
        explanation="",
        seed=0,
        place=at % 5,
        maker=Maker.RULES,
        annotator_id="",
        judgment_id="",
        at=utc_now(),
    )


def _ask(session: Session, here: str) -> None:
    local, _ = add_judge(
        session, "Qwen2.5-VL 7B", "llama-cpp", "qwen2.5-vl-7b-q4.gguf", {"projector": "mmproj-qwen2.5-vl-7b.gguf"}
    )
    server, _ = add_judge(session, "Lab server", "openai", "InternVL3-38B", {"url": "http://127.0.0.1:8000/v1"})
    add_judge(session, "Always an error", "constant", "", {})
    mine = [segment for segment in all_segments(session.study) if segment.recording_id == here]
    answers: list[tuple[JudgeEntry, dict[str, Json], dict[str, Any]]] = [
        (local, _answer("error", "both", _RATIONALE, correction=_CORRECTION), {"ms": 8420, "tokens_in": 6412}),
        (server, _answer("competence", "verbal", "The robot keeps the session moving."), {"ms": 2310, "cost": 0.0031}),
    ]
    for about in mine:
        for judge, answer, other in answers:
            thinking = "She says “I felt a little bit”, so her turn is not over. " * 5
            store(session, made_up(judge, session, about.id, answer, thinking=thinking, **other))


def _answer(label: str, channel: str, rationale: str, **more: Json) -> dict[str, Json]:
    attributes: list[Json] = ["conversation", "emotions"]
    said: dict[str, Json] = {"label": label, "attributes": attributes, "channel": channel, "rationale": rationale}
    return {**said, "kind": "social", "stage": "perception", **more}


def _benchmark(session: Session) -> None:
    homes = [recording.id for recording in all_recordings(session.study)]
    long = "A guess by the words alone, as the paper's baseline has it"
    judges = [add_judge(session, name, key, "", {})[0] for name, key in (("oracle", "oracle"), (long, "random"))]
    item_set, _ = verdicts(session, _LABELS, draws=2, recordings=homes[:4], name="Errors and competences, by hand")
    run_benchmark(session, BenchmarkRequest([item_set], judges, shown=ItemModality.TEXT), Silent())
