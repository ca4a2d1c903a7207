"""What a search has to find, worked out by looking at every text."""

import re
import unicodedata

from project.store.study import Study


def words(text: str) -> list[str]:
    plain = "".join(one for one in unicodedata.normalize("NFKD", text) if not unicodedata.combining(one))
    return re.findall(r"[^\W_]+", plain.casefold())


def fits(text: str, typed: str) -> bool:
    """Whether a text has every part of what was typed: whole phrases, and beginnings of words."""
    there = words(text)
    parts = [
        (words(phrase or word), not closed) for phrase, closed, word in re.findall(r'"([^"]*)(")?|([^\s"]+)', typed)
    ]
    parts = [part for part in parts if part[0]]
    return bool(parts) and all(_stands_in(there, *part) for part in parts)


def _stands_in(there: list[str], wanted: list[str], open_end: bool) -> bool:
    for place in range(len(there) - len(wanted) + 1):
        piece = there[place : place + len(wanted)]
        if piece[:-1] == wanted[:-1] and (piece[-1].startswith(wanted[-1]) if open_end else piece[-1] == wanted[-1]):
            return True
    return False


def every_text(study: Study) -> list[tuple[str, str, str, str]]:
    """Return (table, subject, field, text) of a study whose form has free text in `rationale` and `correction` only."""
    found = [
        ("segment_value", *row)
        for row in study.rows(
            "SELECT segment_id, field, json_extract(value, '$') FROM segment_value "
            "WHERE field IN ('rationale', 'correction')"
        )
    ]
    found += [("comment", row[0], "text", row[1]) for row in study.rows("SELECT segment_id, text FROM comment")]
    found += [("review", row[0], "note", row[1]) for row in study.rows("SELECT segment_id, note FROM review")]
    found += [("utterance", row[0], "text", row[1]) for row in study.rows("SELECT id, text FROM utterance")]
    found += [("recording", row[0], "name", row[1]) for row in study.rows("SELECT id, name FROM recording")]
    for row in study.rows("SELECT id, name, agent_context FROM collection"):
        found += [("collection", row[0], "name", row[1]), ("collection", row[0], "agent_context", row[2])]
    for row in study.rows("SELECT id, pseudonym, note FROM participant"):
        found += [("participant", row[0], "pseudonym", row[1]), ("participant", row[0], "note", row[2])]
    return found
