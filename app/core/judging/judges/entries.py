"""Which judge a person means by a name."""

from collections.abc import Sequence

from app.core.session import Session
from project.errors import UserError
from project.judging import PERSON, JudgeEntry
from project.queries.judges import all_judges, judge_by_name


def judge_called(session: Session, name: str) -> JudgeEntry:
    """Return the judge with this name.

    Raises:
        UserError: there is none.
    """
    found = judge_by_name(session.study, name.strip())
    if found is None:
        known = ", ".join(one.name for one in all_judges(session.study))
        hint = f"There are: {known}." if known else "Add one: greenroom judge add STUDY NAME --backend BACKEND"
        raise UserError(f"There is no judge “{name}” in this study.", hint)
    return found


def judges_called(session: Session, names: Sequence[str]) -> list[JudgeEntry]:
    """Return the judges with these names, each once, in order; where no name is given, all that are no people.

    Raises:
        UserError: there is no judge of a name, or none at all.
    """
    if not names and (known := [one for one in all_judges(session.study) if one.backend != PERSON]):
        return known
    return [judge_called(session, name) for name in dict.fromkeys(names or ("",))]
