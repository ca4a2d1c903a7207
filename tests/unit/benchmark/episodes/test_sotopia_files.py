"""Files of SOTOPIA come in, give the figures that they hold, go out again, or are refused with one line."""

import csv
import json
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from annotate.study.recording_edits import undo
from benchmark.episodes.episode_ratings import compute_agreement, mean_scores, read_ratings
from benchmark.episodes.episode_setup import get_cast, save_scenario
from benchmark.episodes.episode_state import read_episode_state
from benchmark.episodes.sotopia_files import SotopiaImportResult, import_file, sort_files, write_episodes, write_scores
from benchmark.episodes.sotopia_records import format_dialogue, read_turn
from project.entities.roleplay import Act, AgentTurn, EpisodeEnd, Relationship, Scenario
from project.errors import UserError
from project.queries.annotator_rows import all_annotators
from project.queries.episode_rows import all_characters, all_episodes, all_scenarios
from project.session.session import Session
from project.store.study import Study

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
def sotopia_pi(session: Session, shared_data: Path) -> Path:
    """The folder of ten published episodes and their human scores, both of which have come in."""
    folder = shared_data / "sotopia"
    import_file(session, folder / "sotopia_pi_episodes.jsonl")
    import_file(session, folder / "sotopia_pi_human_scores.csv")
    return folder


@pytest.mark.parametrize(
    ("dialogue", "turn"),
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
def test_a_line_of_a_conversation_is_a_turn(dialogue: str, turn: AgentTurn) -> None:
    assert read_turn(dialogue, NAMES) == turn
    assert read_turn(format_dialogue(turn, "Mia"), NAMES) == turn


def episode(**facts: Any) -> dict[str, Any]:
    people = {name: {"name": name, "age": "30", "profession": "Baker", "secrets": "None."} for name in NAMES}
    turns = [
        {"speaker": "Mia", "dialogue": '"Good morning."'},
        {"speaker": "Noah Davis", "dialogue": "Noah Davis [non-verbal communication] nods"},
        {"speaker": "Mia", "dialogue": "Mia left the conversation."},
    ]
    usual: dict[str, Any] = {"scenario": "At the bakery.", "names": [*NAMES], "personal_info": people}
    usual |= {"social_goal": dict.fromkeys(NAMES, "Buy bread."), "parsed_conversation": turns}
    return {**usual, "episode": "E1", "set": "lab", **facts}


def said(dialogue: Any, speaker: Any = "Mia") -> dict[str, Any]:
    """An episode of one turn."""
    return episode(parsed_conversation=[{"speaker": speaker, "dialogue": dialogue}])


def written(folder: Path, *lines: Any, name: str = "episodes.jsonl") -> Path:
    path = folder / name
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines), "utf-8")
    return path


def test_an_episode_becomes_a_recording_and_is_known_the_second_time(session: Session, tmp_path: Path) -> None:
    path = written(tmp_path, episode(), episode(episode="E2", relationship="friend"))
    assert import_file(session, path).added == 2
    again = import_file(session, path)
    assert (again.added, again.existing) == (0, 2)
    first, second = (read_episode_state(session, each.recording_id) for each in all_episodes(session.study))
    assert [(each.agent.profile.name, each.turn) for each in first.played_turns] == [
        ("Mia", AgentTurn(Act.SPEAK, "Good morning.")),
        ("Noah Davis", AgentTurn(Act.NONVERBAL, "nods")),
        ("Mia", AgentTurn(Act.LEAVE)),
    ]
    assert (first.episode.ended, first.next_agent) == (EpisodeEnd.LEFT, None)
    assert (first.episode.relationship, second.episode.relationship) == (Relationship.UNKNOWN, Relationship.FRIEND)
    assert first.agents[0].participant_id == second.agents[0].participant_id
    undo(session)
    assert all_episodes(session.study) == []


def test_what_cannot_come_in_is_refused_with_its_line_and_nothing_comes_in(session: Session, tmp_path: Path) -> None:
    bench: dict[str, Any] = {"scenario": "A bench.", "relationship": 2, "agent_goals": ["Sit.", "Stand."]}
    files: list[tuple[Any, list[tuple[Any, str]]]] = [
        (
            episode(episode="E0"),
            [
                (episode(names=["Mia"]), "two people or more"),
                (episode(names=["Mia", "\x00\x07"]), "no list of names"),
                (episode(scenario="x" * 30_000), "“scenario” is no text of at most"),
                (episode(personal_info={}), "“Mia” is missing"),
                (episode(social_goal={"Mia": "Eat.", "Noah Davis": {"deep": 1}}), "“Noah Davis” is no text"),
                (episode(parsed_conversation=[]), "nobody says or does anything"),
                (said("Hi", "Zoe"), "“Zoe” has a turn and is not among “names”"),
                (said("\ud800"), "“dialogue” holds half of a character"),
                (episode(relationship="cousins"), "“cousins” is no relationship"),
                (3, "no JSON object"),
            ],
        ),
        (
            bench,
            [({**bench, "agent_goals": ["x", 3]}, "agent_goals"), ({**bench, "relationship": True}, "relationship")],
        ),
        ({"first_name": "Eve"}, [({"first_name": "Mia", "age": [1]}, "age")]),
    ]
    for first, wrong, says in ((first, *refusal) for first, refusals in files for refusal in refusals):
        with pytest.raises(UserError) as refused:
            import_file(session, written(tmp_path, first, wrong))
        message = refused.value.message
        assert says in message
        assert "line 2" in message
        assert len(message) < 500
    for content, says in ((b"\n \n", "is empty"), (b"[" * 200_000, "no JSON"), (b'{"a": 1}', "not a SOTOPIA file")):
        (tmp_path / "in.jsonl").write_bytes(content)
        with pytest.raises(UserError, match=says):
            import_file(session, tmp_path / "in.jsonl")
    assert all_episodes(session.study) == []


def test_what_nobody_sees_in_a_text_is_left_out_and_other_ends_of_lines_are_kept(
    session: Session, tmp_path: Path
) -> None:
    hidden = said("He\x00llo\u202e there\x1b[31m.\nYou\u2028two.") | {"scenario": "A\x00 bench\u202e."}
    import_file(session, written(tmp_path, json.dumps(hidden, ensure_ascii=False) + "\r\n"))
    (kept,) = all_episodes(session.study)
    assert kept.context == "A bench."
    text = read_episode_state(session, kept.recording_id).played_turns[0].turn.text
    assert text.splitlines() == ["Hello there[31m.", "You", "two."]


def scores(folder: Path, *rows: str) -> Path:
    head = "set,episode,rater,agent,is_target," + ",".join(COLUMNS)
    return written(folder, head, *rows, name="scores.csv")


def test_scores_out_of_range_or_of_no_episode_here_are_refused_or_counted(session: Session, tmp_path: Path) -> None:
    good = "lab,E1,r1,1,1,5,1,0,0,0,0,1"
    with pytest.raises(UserError, match="no scores for episodes"):
        import_file(session, scores(tmp_path, good))
    import_file(session, written(tmp_path, episode()))
    for row, says in (
        ("lab,E1,r1,1,1,11,0,0,0,0,0,0", "11 in “believability” is not between 0 and 10"),
        ("lab,E1,r1,1,1,5,0,0,0,0,x,0", "“x” in “financial_and_material_benefits” is no whole number"),
        ("lab,E1,,1,1,5,0,0,0,0,0,0", "“rater” is empty"),
    ):
        with pytest.raises(UserError, match=says) as refused:
            import_file(session, scores(tmp_path, good, row))
        assert "line 3" in refused.value.message
    (kept,) = all_episodes(session.study)
    assert read_ratings(session, kept.recording_id) == []
    imported = import_file(
        session, scores(tmp_path, good, "lab,E9,r1,1,1,5,0,0,0,0,0,0", "lab,E1,r1,3,1,5,0,0,0,0,0,0")
    )
    assert (imported.added, imported.unmatched) == (1, 2)
    assert [rating.overall for rating in read_ratings(session, kept.recording_id)] == [1.0]


def test_scenarios_come_in_without_their_tags(session: Session, shared_data: Path) -> None:
    imported = import_file(session, shared_data / "sotopia" / "sotopia_environment_profiles.jsonl")
    assert imported.added == len(all_scenarios(session.study)) > 0
    assert not any("<" in goal for each in all_scenarios(session.study) for goal in each.goals)
    kinds = {each.relationship for each in all_scenarios(session.study)}
    assert {Relationship.STRANGER, Relationship.FRIEND, Relationship.ROMANTIC} <= kinds


def official_agent(number: int) -> dict[str, Any]:
    """An agent profile with fields and types of the official file."""
    texts = {"first_name": f"Name{number}", "last_name": "Smith", "occupation": "Baker", "gender_pronoun": "She/Her"}
    values = {"moral_values": ["Care", "Fairness"], "schwartz_personal_values": ["Security", "Power"]}
    return {"agent_id": f"A{number}", "age": 30 + number, "secret": "Owes money.", "mbti": "ENFJ", **texts, **values}


def test_the_official_profiles_relationships_and_combinations_come_in_whatever_their_order(
    session: Session, tmp_path: Path
) -> None:
    kinds = ["stranger", "know_by_name", "acquaintance", "friend", "romantic_relationship", "family_member"]
    bonds = [
        {"relationship_id": f"R{at}", "agent1_id": "A0", "agent2_id": f"A{at + 1}", "relationship": str(at)}
        for at in range(6)
    ]
    combinations = [
        {"combo_id": f"C{at}", "env_id": f"E{at}", "agent_ids": [f"A{at}", f"A{at + 1}"]} for at in range(7)
    ]
    foreign = {"combo_id": "C99", "env_id": "E99", "agent_ids": ["A0", "A1"]}
    benches = [
        {"env_id": f"E{at}", "codename": f"bench {at}", "scenario": "A bench.", "relationship": kind}
        | {"agent_goals": ["Sit.", "Stand."], "age_constraint": "[(18, 70), (18, 70)]"}
        for at, kind in enumerate((*kinds, *range(6)))
    ]
    files = [
        written(tmp_path, *combinations, foreign, name="a_combinations.jsonl"),
        written(tmp_path, *bonds, name="b_relationships.jsonl"),
        written(tmp_path, *benches, name="c.jsonl"),
        written(tmp_path, *map(official_agent, range(8)), name="d_agents.jsonl"),
    ]

    def import_all() -> list[SotopiaImportResult]:
        return [import_file(session, path) for path in sort_files(files)]

    with pytest.raises(UserError, match="that are not in this study"):
        import_file(session, files[0])
    came = {found.kind: (found.added, found.unmatched) for found in import_all()}
    assert came == {"characters": (8, 0), "scenarios": (12, 0), "relationships": (6, 0), "combinations": (7, 1)}
    characters = {character.reference: character for character in all_characters(session.study)}
    assert characters["A0"].profile.personal_values == "Care, Fairness. Security, Power"
    named = [bond.relationship.value for bond in characters["A0"].bonds]
    assert named == ["stranger", "known-by-name", "acquaintance", "friend", "romantic", "family"]
    scenarios = {each.reference: each for each in all_scenarios(session.study)}
    assert [scenarios[f"E{at}"].relationship.value for at in range(12)] == named * 2
    assert [character.reference for character in get_cast(session, scenarios["E1"], 1)] == ["A1", "A2"]
    assert characters["A0"].profile.visible_fields(Relationship.KNOWN_BY_NAME) == {"name": "Name0 Smith"}
    again = [(found.added, found.existing) for found in import_all()]
    assert again == [(0, 8), (0, 12), (0, 6), (0, 7)]
    save_scenario(session, Scenario(scenarios["E1"].id, "other", "A bench.", Relationship.FRIEND, ("Sit.", "Go.")))
    assert next(each for each in all_scenarios(session.study) if each.name == "other").casts == scenarios["E1"].casts


def test_the_figures_are_those_that_numpy_and_scipy_compute_from_the_file(session: Session, sotopia_pi: Path) -> None:
    from scipy.stats import pearsonr

    lines = (sotopia_pi / "sotopia_pi_episodes.jsonl").read_text("utf-8").splitlines()
    here = {json.loads(line)["episode"] for line in lines}
    given: dict[tuple[str, str], list[dict[str, str]]] = {}
    with (sotopia_pi / "sotopia_pi_human_scores.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["episode"] in here:
                given.setdefault((row["episode"], row["agent"]), []).append(row)
    assert {annotator.name for annotator in all_annotators(session.study)} >= {"r1", "r2"}
    ours = {each.dimension: each for each in compute_agreement(session).people}
    same, near = [], []
    for column, (low, high) in COLUMNS.items():
        scored = [[int(row[column]) for row in rows] for rows in given.values()]
        first, second = np.array([pair for rows in scored for pair in combinations(rows, 2)], float).T
        bins = [np.minimum(np.floor((side - low) / ((high - low) / 5)), 4) for side in (first, second)]
        same.append(float((bins[0] == bins[1]).mean()))
        near.append(float((np.abs(first - second) <= 2).mean()))
        agreement = ours["financial" if column.startswith("financial") else column]
        assert agreement.rated == len(given) == 20
        assert agreement.kappa == pytest.approx((same[-1] - 0.2) / 0.8, abs=1e-12)
        assert agreement.agreement == pytest.approx(near[-1], abs=1e-12)
        varies = first.std() and second.std()
        r = pytest.approx(pearsonr(first, second).statistic, abs=1e-12) if varies else None
        assert agreement.pearson == r
    assert ours["all"].kappa == pytest.approx((np.mean(same) - 0.2) / 0.8, abs=1e-12)
    assert ours["all"].agreement == pytest.approx(np.mean(near), abs=1e-12)
    first_episode = read_episode_state(session, all_episodes(session.study)[0].recording_id)
    ratings = read_ratings(session, first_episode.episode.recording_id)
    mean = {"believability": 6.0, "relationship": 1.5, "knowledge": 1.5, "secret": 0.0, "social_rules": -0.5}
    assert mean_scores(ratings, first_episode.agents[0].participant_id) == {**mean, "financial": 0.5, "goal": 8.5}


def test_what_is_exported_comes_in_again_as_it_was(session: Session, sotopia_pi: Path, tmp_path: Path) -> None:
    episodes, ratings = tmp_path / "out.jsonl", tmp_path / "out.csv"
    assert write_episodes(session, episodes) == 10
    assert write_scores(session, ratings) == 40
    with pytest.raises(UserError, match="already"):
        write_episodes(session, episodes)
    with Session(Study.create(tmp_path / "other.greenroom"), "Bo") as other:
        import_file(other, episodes)
        import_file(other, ratings)
        assert compute_agreement(other) == compute_agreement(session)
        for first, second in zip(all_episodes(session.study), all_episodes(other.study), strict=True):
            facts = [(each.context, each.relationship, each.ended, each.reference) for each in (first, second)]
            assert facts[0] == facts[1]
            here, there = (
                read_episode_state(session, first.recording_id),
                read_episode_state(other, second.recording_id),
            )
            assert [each.turn for each in here.played_turns] == [each.turn for each in there.played_turns]
            agents = [[(agent.profile, agent.goal) for agent in state.agents] for state in (here, there)]
            assert agents[0] == agents[1]
