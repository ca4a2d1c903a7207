"""What the pages of characters and of scenarios show and save."""

from collections.abc import Mapping

from app.core.commands.episodes import remove_character, remove_scenario, save_character, save_scenario
from app.core.session import Session
from app.gui.episodes.stock_page import StockPage, Texts
from app.gui.episodes.words import PROFILE_NAMES, RELATIONSHIPS
from app.gui.studio import Studio
from project.episodes import Profile, Relationship, Scenario
from project.queries.episodes import NAMED, all_characters, all_scenarios
from project.types import Changes
from resources.translation import tr
from widgets.episodes.texts_form import TextField
from widgets.rows_table import Row

_LONG = frozenset({"personality", "public_info", "secret"})
_HINTS: Mapping[str, str] = {
    "age": tr("Such as 41"),
    "occupation": tr("Such as baker"),
    "pronouns": tr("Such as she/her"),
    "personality": tr("How they are"),
    "personal_values": tr("What matters to them"),
    "decision_style": tr("Such as decides at once"),
    "public_info": tr("What anybody who knows them knows"),
    "secret": tr("What nobody else is to know"),
}


def characters_page(studio: Studio) -> StockPage:
    """Return the page of characters."""
    fields = [TextField("name", tr("Name"), tr("Such as Anna Berg"))]
    fields += [TextField(key, name, _HINTS[key], key in _LONG) for key, name in PROFILE_NAMES.items()]
    columns = (tr("Name"), tr("Age"), tr("Occupation"))
    return StockPage(studio, "character", columns, fields, _characters, _keep_character, remove_character)


def scenarios_page(studio: Studio) -> StockPage:
    """Return the page of scenarios."""
    kinds = {kind.value: name for kind, name in RELATIONSHIPS.items() if kind is not Relationship.UNKNOWN}
    fields = [
        TextField("name", tr("Name"), tr("Such as the lamp")),
        TextField("context", tr("Situation"), tr("What all of them know: where they are, what is going on"), long=True),
        TextField("relationship", tr("Relationship"), choices=kinds),
        TextField(
            "goals", tr("Goals"), tr("A line for each who takes part: what they want, and nobody else knows"), long=True
        ),
    ]
    columns = (tr("Name"), tr("Relationship"), tr("For"))
    return StockPage(studio, "scenario", columns, fields, _scenarios, _keep_scenario, remove_scenario)


def _characters(session: Session) -> tuple[list[Row], dict[str, Texts]]:
    found = all_characters(session.study)
    rows = [Row(one.id, (one.profile.name, one.profile.age, one.profile.occupation)) for one in found]
    return rows, {one.id: {key: str(getattr(one.profile, key)) for key in NAMED} for one in found}


def _keep_character(session: Session, key: str, texts: Texts) -> tuple[str, Changes]:
    return save_character(session, Profile(*(texts[one] for one in NAMED)), key)


def _scenarios(session: Session) -> tuple[list[Row], dict[str, Texts]]:
    found = all_scenarios(session.study)
    rows = [Row(one.id, (one.name, RELATIONSHIPS[one.relationship], str(len(one.goals)))) for one in found]
    texts: dict[str, Texts] = {
        one.id: {
            "name": one.name,
            "context": one.context,
            "relationship": one.relationship.value,
            "goals": "\n".join(one.goals),
        }
        for one in found
    }
    return rows, texts


def _keep_scenario(session: Session, key: str, texts: Texts) -> tuple[str, Changes]:
    goals = tuple(line.strip() for line in texts["goals"].splitlines() if line.strip())
    kind = Relationship(texts["relationship"])
    return save_scenario(session, Scenario(key, texts["name"], texts["context"], kind, goals))
