"""Asks before the first download in a study whose policy allows none: a yes changes the policy, as a step of it."""

from dataclasses import replace

from app.core import fetching
from app.core.commands.policy import set_policy
from app.core.leaving.in_force import policy_in_force
from app.gui.dialogs import Questions
from app.gui.studio import Studio
from project.errors import UserError
from resources.translation import tr

DECLINED = tr("Nothing was fetched: the policy of this study allows no downloads.")


def require_permission(studio: Studio, questions: Questions, name: str, key: str = "") -> None:
    """Return quietly where weights may be fetched, also because the user just allowed it.

    Raises:
        UserError: they may not, the study is open to read only, or there are none of that name.
    """
    session = studio.session
    if session is None:
        return
    refusal = fetching.why_not(session, name, key)
    if refusal is None:
        return
    wanted = replace(policy_in_force(session), downloads=True)
    # Nobody is asked to allow downloads that are refused for something else all the same.
    if (still := fetching.why_not(session, name, key, wanted)) is not None:
        raise still
    session.study.require_writable()
    if not questions.agree(
        tr("Allow downloads"),
        tr(
            "The policy of this study allows no connection, not even to get {name}.\n\n"
            "Allow downloads of models? Nothing of the study is sent; the server learns which file is asked for, and "
            "from which address. Every request is written down in the study."
        ).format(name=name),
        tr("Allow downloads"),
    ):
        raise UserError(DECLINED, tr("Add it from a folder, or fetch it and allow downloads."))
    studio.publish(set_policy(session, wanted))
