"""Episodes in words, for the window."""

from collections.abc import Mapping

from app.core.episodes.ending import ENDED
from app.core.episodes.ratings import judged, mean_scores, ratings_of
from app.core.episodes.state import EpisodeState
from app.core.episodes.telling import SOMEBODY, names_for
from app.core.session import Session
from benchmark.dimensions import DIMENSIONS, SCHEME, overall
from project.episodes import PROFILE, EpisodeAgent, Player, Relationship
from project.queries.episodes import all_episodes
from project.queries.judges import all_judges
from project.queries.judgments import asked_judges
from project.queries.recordings import all_recordings
from project.queries.utterances import utterance_counts
from project.schemes.loader import load_scheme
from resources.translation import tr, trn
from widgets.episodes.turns_view import ShownTurn
from widgets.rows_table import Row

RELATIONSHIPS: Mapping[Relationship, str] = {
    Relationship.FAMILY: tr("Family"),
    Relationship.FRIEND: tr("Friends"),
    Relationship.ROMANTIC: tr("A couple"),
    Relationship.ACQUAINTANCE: tr("Acquaintances"),
    Relationship.STRANGER: tr("Strangers"),
    Relationship.UNKNOWN: tr("Not known"),
}
PROFILE_NAMES: Mapping[str, str] = {
    "age": tr("Age"),
    "occupation": tr("Occupation"),
    "pronouns": tr("Pronouns"),
    "personality": tr("Personality"),
    "personal_values": tr("Values"),
    "decision_style": tr("How they decide"),
    "public_info": tr("Known to others"),
    "secret": tr("Secret"),
}
COLUMNS = (tr("No."), tr("Episode"), tr("Turns"), tr("State"))


def episode_rows(session: Session) -> list[Row]:
    """Return a row for each episode."""
    recordings = {one.id: one for one in all_recordings(session.study)}
    counts = utterance_counts(session.study)
    rows = []
    for one in all_episodes(session.study):
        here, turns = recordings[one.recording_id], max(0, counts.get(one.recording_id, 0) - one.history)
        rows.append(Row(one.recording_id, (str(here.number), here.name, str(turns), ENDED[one.ended])))
    return rows


def shown_turns(
    session: Session, state: EpisodeState, viewer: EpisodeAgent | None, failed: set[int]
) -> list[ShownTurn]:
    """Return the turns as an agent knows them; as everybody is called where `viewer` is None."""
    names = names_for(session, state, viewer)
    return [
        ShownTurn(
            names.get(one.utterance.participant_id or "", SOMEBODY),
            one.turn,
            not one.number,
            tr("no answer could be had from the judge") if one.number in failed else "",
        )
        for one in state.done
    ]


def standing(session: Session, state: EpisodeState, viewer: EpisodeAgent | None) -> str:
    """Say in a line how far an episode is, with names as an agent knows them."""
    turns = trn("{count} turn", "{count} turns", state.turns)
    if state.following is None:
        return tr("Over after {turns}: {ended}.").format(turns=turns, ended=ENDED[state.episode.ended])
    name = names_for(session, state, viewer).get(state.following.participant_id or "", SOMEBODY)
    return tr("{turns} of at most {turn_limit}. Next: {name}.").format(
        turns=turns, turn_limit=state.episode.turn_limit, name=name
    )


def is_played_by_judges(state: EpisodeState) -> bool:
    """Tell whether no person plays, so that everything may be seen."""
    return all(one.player is not Player.PERSON for one in state.agents)


def everything(session: Session, state: EpisodeState) -> tuple[tuple[str, str], ...]:
    """Return who took part, and under each what they wanted and hid, and how they were rated."""
    ratings = ratings_of(session, state.episode.recording_id)
    said = judged(session, state.episode.recording_id)
    called = asked_judges(session.study) | {one.id: one.name for one in all_judges(session.study)}
    blocks = []
    for one in state.agents:
        lines = [f"{PROFILE_NAMES[key]}: {text}" for key in PROFILE if (text := getattr(one.profile, key))]
        lines += [tr("Wants: {goal}").format(goal=one.goal)] if one.goal else []
        mean = mean_scores(ratings, one.participant_id or "")
        lines += [_scores(tr("Rated by people"), mean)] if mean else []
        for (who, judge), answer in said.items():
            if who == one.participant_id:
                lines.append(_scores(tr("Rated by {called}").format(called=called.get(judge, judge)), answer.answer))
        blocks.append((f"{one.profile.name}, {_player(one, called)}", "\n".join(lines)))
    return tuple(blocks)


def _player(one: EpisodeAgent, called: Mapping[str, str]) -> str:
    if one.player is Player.JUDGE:
        return tr("played by {called}").format(called=called.get(one.judge_id, tr("a judge that is gone")))
    return tr("played by a person") if one.player is Player.PERSON else tr("imported")


def _scores(title: str, scores: Mapping[str, object]) -> str:
    scheme = load_scheme(SCHEME)
    told = [
        f"{scheme.field(key).name.lower()} {_number(value, 'g')}"
        for key in DIMENSIONS
        if isinstance(value := scores.get(key), int | float)
    ]
    mean = overall({key: value for key, value in scores.items() if isinstance(value, int | float)})
    end = "" if mean is None else tr("; overall {mean}").format(mean=_number(mean, ".2f"))
    return f"{title}: {', '.join(told)}{end}"


def _number(value: float, form: str) -> str:
    return format(value, form).replace("-", "\N{MINUS SIGN}")
