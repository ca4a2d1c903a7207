"""Episodes, scenarios and human scores of SOTOPIA come in, give the figures that they hold, and go out again."""

import csv
import json
from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import pearsonr

from annotate.study.recording_edits import undo
from benchmark.episodes.episode_ratings import RaterAgreement, compute_agreement, mean_scores, read_ratings
from benchmark.episodes.episode_state import read_episode_state
from benchmark.episodes.sotopia_files import import_file, write_episodes, write_scores
from benchmark.episodes.sotopia_records import format_dialogue, read_turn
from project.entities.roleplay import Act, AgentTurn, EpisodeEnd, Relationship
from project.errors import UserError
from project.integrity.integrity_check import check_study
from project.queries.annotator_rows import all_annotators
from project.queries.episode_rows import all_episodes, all_scenarios
from project.session.session import Session
from project.store.study import Cell, Row, Study

NAMES = ("Mia", "Noah Davis")
COLUMNS = {
    "believability": (0, 10),
    "relationship": (-5, 5),
    "knowledge": (0, 10),
    "secret": (-10, 0),
    "social_rules": (-10, 0),
    "financial_and_material_benefits": (-5, 5),
    "goal": (0, 10),
}


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    path = tmp_path / "s.greenroom"
    with Session(Study.create(path), "Ada") as opened:
        yield opened
    assert check_study(path) == []


@pytest.mark.parametrize(
    ("line", "turn"),
    [
        ('"Hello there."', AgentTurn(Act.SPEAK, "Hello there.")),
        ('"Hello."\nTurn #8,', AgentTurn(Act.SPEAK, "Hello.")),
        ("How about $454?", AgentTurn(Act.SPEAK, "How about $454?")),
        (" Mia [action] politely decline the offer\n", AgentTurn(Act.ACTION, "politely decline the offer")),
        ("Noah Davis [non-verbal communication] nod\n", AgentTurn(Act.NONVERBAL, "nod")),
        ("Mia left the conversation.", AgentTurn(Act.LEAVE)),
        ("Mia did nothing", AgentTurn(Act.NONE)),
        ("", AgentTurn(Act.SPEAK)),
    ],
)
def test_a_line_of_a_conversation_is_a_turn(line: str, turn: AgentTurn) -> None:
    assert read_turn(line, NAMES) == turn
    assert read_turn(format_dialogue(turn, "Mia"), NAMES) == turn


def line(**facts: Any) -> dict[str, Any]:
    people = {name: {"name": name, "age": "30", "profession": "Baker", "secrets": "None."} for name in NAMES}
    turns = [
        {"speaker": "Mia", "dialogue": '"Good morning."'},
        {"speaker": "Noah Davis", "dialogue": "Noah Davis [non-verbal communication] nods"},
        {"speaker": "Mia", "dialogue": "Mia left the conversation."},
    ]
    usual: dict[str, Any] = {"scenario": "At the bakery.", "names": [*NAMES], "personal_info": people}
    usual |= {"social_goal": dict.fromkeys(NAMES, "Buy bread."), "parsed_conversation": turns}
    return {**usual, "episode": "E1", "set": "lab", **facts}


def written(folder: Path, *lines: Any, name: str = "episodes.jsonl") -> Path:
    path = folder / name
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines), "utf-8")
    return path


def test_an_episode_becomes_a_recording_and_is_known_the_second_time(session: Session, tmp_path: Path) -> None:
    path = written(tmp_path, line(), line(episode="E2", relationship="friend"))
    assert import_file(session, path).added == 2
    again = import_file(session, path)
    assert (again.added, again.existing) == (0, 2)
    first, second = (read_episode_state(session, episode.recording_id) for episode in all_episodes(session.study))
    assert [episode_turn.turn for episode_turn in first.played_turns] == [
        AgentTurn(Act.SPEAK, "Good morning."),
        AgentTurn(Act.NONVERBAL, "nods"),
        AgentTurn(Act.LEAVE),
    ]
    assert [episode_turn.agent.profile.name for episode_turn in first.played_turns if episode_turn.agent] == [
        "Mia",
        "Noah Davis",
        "Mia",
    ]
    assert (first.episode.ended, first.next_agent) == (EpisodeEnd.LEFT, None)
    assert (first.episode.relationship, second.episode.relationship) == (Relationship.UNKNOWN, Relationship.FRIEND)
    assert first.agents[0].participant_id == second.agents[0].participant_id
    undo(session)
    assert all_episodes(session.study) == []


def test_an_episode_is_added_without_a_look_at_all_others(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows, many, read = Study.rows, 100, 0

    def counting(study: Study, sql: str, values: Sequence[Cell] = ()) -> list[Row]:
        nonlocal read
        found = rows(study, sql, values)
        read += len(found)
        return found

    path = written(tmp_path, *(line(episode=f"E{number}") for number in range(many)))
    monkeypatch.setattr(Study, "rows", counting)
    assert import_file(session, path).added == many
    assert read < 10 * many


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"names": ["Mia"]}, "two people or more"),
        ({"names": "Mia"}, "no list of names"),
        ({"scenario": ""}, "“scenario” is missing"),
        ({"personal_info": {}}, "“Mia” is missing"),
        ({"social_goal": {"Mia": "Eat."}}, "“Noah Davis” is missing"),
        ({"parsed_conversation": []}, "nobody says or does anything"),
        ({"parsed_conversation": [{"speaker": "Zoe", "dialogue": "Hi"}]}, "not among “names”"),
        ({"relationship": "cousins"}, "no relationship"),
    ],
)
def test_a_bad_episode_is_refused_with_its_line_and_nothing_comes_in(
    session: Session, tmp_path: Path, wrong: dict[str, Any], said: str
) -> None:
    with pytest.raises(UserError, match=said) as refused:
        import_file(session, written(tmp_path, line(), line(**wrong)))
    assert "line 2" in refused.value.message
    assert all_episodes(session.study) == []


@pytest.mark.parametrize(
    ("text", "said"), [("", "nothing in"), ("{", "no JSON"), ("[1]", "no JSON object"), ('{"a": 1}', "holds neither")]
)
def test_what_is_no_such_file_is_refused(session: Session, tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(UserError, match=said):
        import_file(session, written(tmp_path, text))


def scores(folder: Path, *rows: str) -> Path:
    head = "set,episode,rater,agent,is_target," + ",".join(COLUMNS)
    return written(folder, head, *rows, name="scores.csv")


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("lab,E1,r1,1,1,11,0,0,0,0,0,0", "11 in “believability” is not between 0 and 10"),
        ("lab,E1,r1,1,1,5,0,0,1,0,0,0", "1 in “secret” is not between -10 and 0"),
        ("lab,E1,r1,1,1,5,0,0,0,0,x,0", "“x” in “financial_and_material_benefits” is no whole number"),
        ("lab,E1,r1,1,1,5,0,0,0,0,0,", "“goal” is empty"),
        ("lab,E1,,1,1,5,0,0,0,0,0,0", "“rater” is empty"),
    ],
)
def test_a_score_out_of_its_range_is_refused_with_its_line(
    session: Session, tmp_path: Path, row: str, said: str
) -> None:
    import_file(session, written(tmp_path, line()))
    with pytest.raises(UserError, match=said) as refused:
        import_file(session, scores(tmp_path, "lab,E1,r1,1,1,5,0,0,0,0,0,0", row))
    assert "line 3" in refused.value.message
    (episode,) = all_episodes(session.study)
    assert read_ratings(session, episode.recording_id) == []


def test_scores_of_no_episode_here_are_refused_or_counted(session: Session, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="No episode of this study"):
        import_file(session, scores(tmp_path, "lab,E1,r1,1,1,5,0,0,0,0,0,0"))
    import_file(session, written(tmp_path, line()))
    path = scores(tmp_path, "lab,E1,r1,1,1,5,1,0,0,0,0,1", "lab,E9,r1,1,1,5,0,0,0,0,0,0", "lab,E1,r1,3,1,5,0,0,0,0,0,0")
    found = import_file(session, path)
    assert (found.added, found.unmatched) == (1, 2)
    (episode,) = all_episodes(session.study)
    (rating,) = read_ratings(session, episode.recording_id)
    assert rating.overall == 1.0


def test_scenarios_come_in_without_their_tags(session: Session, shared_data: Path) -> None:
    found = import_file(session, shared_data / "sotopia" / "sotopia_environment_profiles.jsonl")
    assert found.added == len(all_scenarios(session.study)) > 0
    assert not any("<" in goal for scenario in all_scenarios(session.study) for goal in scenario.goals)
    kinds = {scenario.relationship for scenario in all_scenarios(session.study)}
    assert {Relationship.STRANGER, Relationship.FRIEND, Relationship.ROMANTIC} <= kinds


def test_the_figures_are_those_that_numpy_and_scipy_compute_from_the_file(session: Session, shared_data: Path) -> None:
    folder = shared_data / "sotopia"
    import_file(session, folder / "sotopia_pi_episodes.jsonl")
    import_file(session, folder / "sotopia_pi_human_scores.csv")
    lines = (folder / "sotopia_pi_episodes.jsonl").read_text("utf-8").splitlines()
    here = {json.loads(line)["episode"] for line in lines}
    given: dict[tuple[str, str], list[dict[str, str]]] = {}
    with (folder / "sotopia_pi_human_scores.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["episode"] in here:
                given.setdefault((row["episode"], row["agent"]), []).append(row)
    assert {annotator.name for annotator in all_annotators(session.study)} >= {"r1", "r2"}
    ours = {among.dimension: among for among in compute_agreement(session).between_people}
    kappas, near = [], []
    for column, (low, high) in COLUMNS.items():
        pairs = np.array(
            [[int(a[column]), int(b[column])] for rows in given.values() for a, b in combinations(rows, 2)], float
        )
        bins = np.minimum(np.floor((pairs - low) / ((high - low) / 5)), 4)
        same = float((bins[:, 0] == bins[:, 1]).mean())
        found: RaterAgreement = ours["financial" if column.startswith("financial") else column]
        assert found.rated_count == len(given) == 20
        assert found.kappa == pytest.approx((same - 0.2) / 0.8, abs=1e-12)
        kappas.append(same)
        near.append(np.abs(pairs[:, 0] - pairs[:, 1]) <= 2)
        assert found.agreement == pytest.approx(near[-1].mean(), abs=1e-12)
        if pairs[:, 0].std() and pairs[:, 1].std():
            assert found.correlation == pytest.approx(pearsonr(pairs[:, 0], pairs[:, 1]).statistic, abs=1e-12)
        else:
            assert found.correlation is None
    assert ours[""].kappa == pytest.approx((np.mean(kappas) - 0.2) / 0.8, abs=1e-12)
    assert ours[""].agreement == pytest.approx(np.concatenate(near).mean(), abs=1e-12)


def test_mean_human_scores_are_those_of_the_file(session: Session, shared_data: Path) -> None:
    folder = shared_data / "sotopia"
    import_file(session, folder / "sotopia_pi_episodes.jsonl")
    import_file(session, folder / "sotopia_pi_human_scores.csv")
    first = read_episode_state(session, all_episodes(session.study)[0].recording_id)
    who = first.agents[0].participant_id
    assert who is not None
    mean = mean_scores(read_ratings(session, first.episode.recording_id), who)
    assert mean == {
        "believability": 6.0,
        "relationship": 1.5,
        "knowledge": 1.5,
        "secret": 0.0,
        "social_rules": -0.5,
        "financial": 0.5,
        "goal": 8.5,
    }


def test_what_is_exported_comes_in_again_as_it_was(session: Session, shared_data: Path, tmp_path: Path) -> None:
    folder = shared_data / "sotopia"
    import_file(session, folder / "sotopia_pi_episodes.jsonl")
    import_file(session, folder / "sotopia_pi_human_scores.csv")
    out = tmp_path / "out.jsonl", tmp_path / "out.csv"
    assert write_episodes(session, out[0]) == 10
    assert write_scores(session, out[1]) == 40
    with pytest.raises(UserError, match="already"):
        write_episodes(session, out[0])
    other = tmp_path / "other.greenroom"
    with Session(Study.create(other), "Bo") as second:
        import_file(second, out[0])
        import_file(second, out[1])
        assert compute_agreement(second) == compute_agreement(session)
        for a, b in zip(all_episodes(session.study), all_episodes(second.study), strict=True):
            episode_state, two = read_episode_state(session, a.recording_id), read_episode_state(second, b.recording_id)
            assert [each.turn for each in episode_state.played_turns] == [each.turn for each in two.played_turns]
            assert [(each.profile, each.goal) for each in episode_state.agents] == [
                (e.profile, e.goal) for e in two.agents
            ]
            assert (a.context, a.relationship, a.ended, a.reference) == (
                *(b.context, b.relationship, b.ended, b.reference),
            )
