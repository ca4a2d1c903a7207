"""Playing episodes on the command line: judges are asked, people type."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from app.cli.command import EDIT, argument, command, option, options_of
from app.cli.console import Output, progress_bar
from project.entities.roleplay import PLAYED_RELATIONSHIPS, AgentTurn, Relationship, parse_turn
from project.entities.study_records import Recording
from project.errors import UserError
from project.session.session import Session, resolve_participant
from project.text_format import escape_unprintable

if TYPE_CHECKING:
    from benchmark.episodes.episode_runs import TurnResult
    from benchmark.episodes.episode_state import EpisodeState
    from project.entities.roleplay import EpisodeAgent

PERSON = "person"
_TYPING_HINT = (
    "Type what is said; or [non-verbal] smiles, [action] opens the door, [none], [leaves]. An empty line stops for now."
)


@dataclass(frozen=True, slots=True)
class PlayOptions:
    """What all ways to play share."""

    turns: int = option("Turns at most.", default=20, type=click.IntRange(1, 1000))
    seed: int | None = option("Another seed is another episode; by default a new one.")
    agreed: bool = option("Who types agrees that judges are sent it.")
    budget_tokens: int | None = option("Tokens that a turn may take.", type=click.IntRange(0))


_ANNOTATOR = option("Who lets it be played.", metavar="NAME")


@command(study=EDIT, annotator=_ANNOTATOR)
def play(
    session: Session,
    as_json: bool,
    recording: Recording | None = argument(),
    scenario: str | None = option("What is played.", metavar="NAME"),
    characters: tuple[str, ...] = option("A character, in the order in which they act.", "--character", metavar="NAME"),
    cast: int | None = option("The characters of a cast that came with the scenario, from 1.", type=click.IntRange(1)),
    players: tuple[str, ...] = option(
        f"Who plays the characters, in their order: a judge, or “{PERSON}”.", "--player", metavar="JUDGE"
    ),
    options: PlayOptions = options_of(PlayOptions),
) -> Output:
    """Play a scenario with characters, or go on with an episode that is not over.

    Each turn is kept before the next begins: an episode that was stopped goes on where it was, and no judge is asked
    twice. SOTOPIA sets the temperature of those who play to 1; here it is a setting of each judge.

    \b
    Example:
      greenroom episode play lab.greenroom --scenario lamp --character Anna --player gpt --character Bram --player gpt
      greenroom episode play lab.greenroom 4
    """
    from benchmark.episodes.episode_setup import compose_setup, get_cast, get_character, get_scenario, start_episode

    if recording is not None:
        if scenario is not None:
            raise UserError("An episode number cannot be combined with --scenario.", "Give one of the two.")
        here = recording.id
    elif scenario is None:
        raise UserError("There is nothing to play.", "Give --scenario, or the number of an episode.")
    else:
        chosen = get_scenario(session, scenario)
        if cast is not None and characters:
            raise UserError("--character cannot be combined with --cast.", "Give one of the two.")
        playing = (
            [get_character(session, character) for character in characters]
            if cast is None
            else get_cast(session, chosen, cast)
        )
        judges = [_judge_id(session, player) for player in players]
        wanted = compose_setup(
            session, chosen, playing, judges, limit=options.turns, agreed=options.agreed, seed=options.seed
        )
        here, _ = start_episode(session, wanted)
    return _play(session, here, options.budget_tokens, as_json)


@command(study=EDIT, annotator=_ANNOTATOR)
def from_segment(
    session: Session,
    as_json: bool,
    segment: str = argument(),
    players: tuple[str, ...] = option(
        f"Who plays the agent, then the others: a judge, or “{PERSON}”.", "--player", metavar="JUDGE"
    ),
    agent: str | None = option("Participant who acts differently; by default the robot.", metavar="PSEUDONYM"),
    action: str | None = option("What they do, or say in quotation marks; by default the correction.", metavar="TEXT"),
    context: str = option("What all of them know; by default what the study says.", default=""),
    relationship: Relationship = option(
        "How they stand to each other.", choices=PLAYED_RELATIONSHIPS, default=Relationship.ACQUAINTANCE
    ),
    goals: tuple[str, ...] = option("What the agent wants, then what the others want.", "--goal"),
    options: PlayOptions = options_of(PlayOptions),
) -> Output:
    """Play what might have followed, had the agent done what the segment's correction says.

    What was said before is the history. The episode holds words of those who were recorded: their consent, hold-outs
    and the study's policy decide about each request.

    \b
    Example:
      greenroom episode from-segment my-study.greenroom 0198c1d2-8a4e-7c31-9f06-2b1d54e7aa10 --player gpt --player gpt
    """
    from benchmark.episodes.alternative_continuation import continuation_setup, find_start_point
    from benchmark.episodes.episode_setup import start_episode

    who = "" if agent is None else resolve_participant(session, agent).id
    moment = find_start_point(session, segment, who, action)
    cast = [moment.agent.id, *(participant.id for participant in moment.others)]
    if players and len(players) != len(cast):
        names = ", ".join(moment.names[text] for text in cast)
        raise UserError(f"{len(cast)} people take part: {names}.", "Give --player once for each person, in this order.")
    judges = {who: judge for who, text in zip(cast, players, strict=False) if (judge := _judge_id(session, text))}
    wanted = continuation_setup(
        session,
        moment,
        judges,
        context=context,
        relationship=relationship,
        goals=dict(zip(cast, goals, strict=False)),
        limit=options.turns,
        agreed=options.agreed,
        seed=options.seed,
    )
    here, _ = start_episode(session, wanted)
    return _play(session, here, options.budget_tokens, as_json)


def _judge_id(session: Session, name: str) -> str:
    """Return the id of the judge that plays; "" for a person."""
    from benchmark.judging.judge_registry import get_judge

    return "" if name == PERSON else get_judge(session, name).id


def _play(session: Session, recording_id: str, tokens: int | None, as_json: bool) -> Output:
    from benchmark.episodes.episode_runs import play_episode
    from benchmark.episodes.episode_state import END_LABELS, format_turn, format_turns, read_episode_state
    from benchmark.judging.run_budget import Limits

    state = read_episode_state(session, recording_id)
    number = session.recording(recording_id).number
    whole = all(agent.judge_id for agent in state.agents)
    if not as_json:
        click.echo(f"Recording {number}: {escape_unprintable(state.episode.context)}")
        for line in format_turns(session, state) if whole else ():
            click.echo(escape_unprintable(line))

    def told(taken: "TurnResult") -> None:
        if not as_json and whole:
            click.echo(escape_unprintable(format_turn(taken.turn, taken.agent.profile.name)))
        if taken.failure_reason:
            click.echo(escape_unprintable(taken.failure_reason), err=True)

    keyboard = _Keyboard(session)
    with progress_bar(f"Episode {number}") as bar:
        state = play_episode(session, recording_id, keyboard.ask_turn, told, bar, Limits(None, tokens))
    keyboard.catch_up(state)
    data = {"recording": recording_id, "number": number, "turns": state.turn_count, "ended": state.episode.ended}
    return Output(data, f"Recording {number}: {state.turn_count} turns, {END_LABELS[state.episode.ended]}.")


class _Keyboard:
    """Asks people for turns; shows each agent once what it knows, then what happened since its last turn."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._seen: dict[int, int] = {}
        self._last: EpisodeAgent | None = None

    def ask_turn(self, state: "EpisodeState") -> AgentTurn | None:
        """Ask whoever plays the next agent for a turn; None if they stop for now."""
        from benchmark.episodes.episode_state import briefing

        who = self._last = state.next_agent
        assert who is not None, "a turn is asked for where somebody is to act"
        if who.position not in self._seen:
            for heading, text in briefing(self._session, state, who).items():
                for line in (heading, *(f"  {text_line}" for text_line in text.splitlines())):
                    click.echo(escape_unprintable(line), err=True)
            click.echo(_TYPING_HINT, err=True)
        self.catch_up(state)
        try:
            text = click.prompt(who.profile.name, default="", show_default=False, err=True)
        except click.Abort:
            return None
        return parse_turn(text) if text.strip() else None

    def catch_up(self, state: "EpisodeState") -> None:
        """Show the person who typed last what they have not seen yet."""
        from benchmark.episodes.episode_state import format_turns

        if self._last is not None:
            lines = format_turns(self._session, state, self._last)
            for line in lines[self._seen.get(self._last.position, 0) :]:
                click.echo(escape_unprintable(line), err=True)
            self._seen[self._last.position] = len(lines)
