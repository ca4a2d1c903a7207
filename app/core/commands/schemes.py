"""Edits of which schemes a study uses, and in which versions it keeps them. Values are never touched by them."""

from collections.abc import Sequence

from app.core.schemes import IN_USE, in_use
from app.core.session import Session
from project.errors import UserError
from project.queries.schemes import all_versions, insert_version
from project.schemes.loader import load_scheme, parse_scheme, shipped_names, shipped_text
from project.schemes.scheme import Scheme
from project.types import Changes


def use_scheme(session: Session, text: str, name: str) -> tuple[Scheme, Changes]:
    """Use a scheme in a study, or a new version of one that it uses already; what was filled in stays as it is.

    Args:
        session: of the study.
        text: TOML text of the scheme.
        name: what messages call it.

    Returns:
        The scheme, and what changed: nothing where it is in use as it stands.

    Raises:
        UserError: the text is not a scheme, or says otherwise than the version of that number which is known already.
    """
    scheme = parse_scheme(text, name)
    _check_version(session, scheme)
    kept = all_versions(session.study).get(scheme.key, {})
    used = in_use(session.study)
    if scheme.version in kept and scheme.key in used:
        return scheme, Changes()
    verb = "Use" if scheme.key not in used or not kept else f"Use version {scheme.version} of"
    with session.step(f"{verb} scheme {scheme.name}") as step:
        if scheme.version not in kept:
            insert_version(session.study, scheme.key, scheme.version, text)
        _set_in_use(session, [*used, *([] if scheme.key in used else [scheme.key])])
    session.schemes.reload()
    return scheme, step.changes


def use_only(session: Session, key: str) -> Changes:
    """Let a new study use one scheme that the program ships, in the place of the usual one; nothing where it does.

    Raises:
        UserError: the program ships none of that key.
    """
    if in_use(session.study) == [key]:
        return Changes()
    scheme = parse_scheme(shipped_text(key), key)
    with session.step(f"Use scheme {scheme.name}") as step:
        session.schemes.keep(scheme)
        _set_in_use(session, [key])
    session.schemes.reload()
    return step.changes


def use_shipped_scheme(session: Session, key: str) -> tuple[Scheme, Changes]:
    """Use a scheme that the program ships.

    Raises:
        UserError: it ships none of that key, or the study knows the scheme otherwise.
    """
    return use_scheme(session, shipped_text(key), key)


def use_kept_scheme(session: Session, key: str) -> tuple[Scheme, Changes]:
    """Use a scheme again that the study keeps, in its newest version.

    Raises:
        UserError: the study keeps none of that key.
    """
    kept = all_versions(session.study).get(key)
    if not kept:
        raise UserError(f"This study keeps no scheme “{key}”.", "Use it from its file.")
    version = max(kept)
    return use_scheme(session, kept[version], f"{key}, version {version}")


def drop_scheme(session: Session, key: str) -> Changes:
    """Stop using a scheme. Its segments, their values and its versions stay.

    Raises:
        UserError: the study does not use it, or uses no other.
    """
    scheme = session.schemes.get(key)
    left = [one for one in in_use(session.study) if one != key]
    if not left:
        raise UserError(f"{scheme.name} is the only scheme of this study.", "Use another one first.")
    with session.step(f"Stop using scheme {scheme.name}") as step:
        session.schemes.keep(scheme)
        _set_in_use(session, left)
    session.schemes.reload()
    return step.changes


def make_default(session: Session, key: str) -> Changes:
    """Make a scheme the one that new segments are made under when nobody names another.

    Raises:
        UserError: the study does not use it.
    """
    scheme = session.schemes.get(key)
    others = [one for one in in_use(session.study) if one != key]
    if in_use(session.study)[0] == key:
        return Changes()
    with session.step(f"Make {scheme.name} the default scheme") as step:
        _set_in_use(session, [key, *others])
    session.schemes.reload()
    return step.changes


def _set_in_use(session: Session, keys: Sequence[str]) -> None:
    if [*keys] != session.study.get_property(IN_USE):
        session.study.set_property(IN_USE, [*keys])


def _check_version(session: Session, scheme: Scheme) -> None:
    kept = all_versions(session.study).get(scheme.key, {})
    newest = max(kept, default=0)
    if scheme.version < newest:
        raise UserError(
            f"This study keeps version {newest} of “{scheme.key}”, and this is version {scheme.version}.",
            f"Raise `version` to {newest + 1} to use it as the newest.",
        )
    known = None
    if scheme.version in kept:
        known, where = parse_scheme(kept[scheme.version], scheme.key), "the study keeps"
    elif scheme.key in shipped_names() and load_scheme(scheme.key).version == scheme.version:
        known, where = load_scheme(scheme.key), "Greenroom ships"
    if known is not None and known != scheme:
        raise UserError(
            f"This is not the version {scheme.version} of “{scheme.key}” that {where}: its content differs.",
            f"Raise `version` to {scheme.version + 1}, so that both are kept.",
        )
