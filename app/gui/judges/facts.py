"""What an answer took and how it came about, a line each."""

from models.judges.base import Mended
from project.judging import Judgment
from project.types import Segment
from resources.translation import tr

_MENDED = {
    Mended.FOUND: tr("Found in other words"),
    Mended.REPAIRED: tr("Repaired by asking once more"),
    Mended.COERCED: tr("Brought into form by a second model"),
}


def facts_of(one: Judgment, about: Segment, edited: str = "") -> tuple[str, ...]:
    """Return time, tokens, cost, and what is worth knowing about an answer.

    Args:
        one: the answer.
        about: the segment as it is now.
        edited: when its words were edited last, as `words_edited` says it.
    """
    cached = one.cached_from is not None
    said = [tr("Cached: not asked again")] if cached else [f"{one.ms / 1000:.1f} s"]
    if not cached and (one.tokens_in is not None or one.tokens_out is not None):
        said.append(
            tr("{tokens_in} → {tokens_out} tokens").format(
                tokens_in=_count(one.tokens_in), tokens_out=_count(one.tokens_out)
            )
        )
    if not cached and one.cost is not None:
        said.append(f"{one.cost:.4f} {_setting(one, 'currency') or 'USD'}")
    if one.calls > 1:
        said.append(tr("{calls} requests").format(calls=one.calls))
    if one.mended in _MENDED:
        said.append(_MENDED[Mended(one.mended)])
    shortened = one.sight.get("shortened")
    if shortened:
        said.append(tr("Shortened to fit the model"))
    if (one.start_us, one.end_us) != (about.start_us, about.end_us):
        said.append(tr("About the segment as it was before it was moved"))
    if edited > one.at[:23]:
        said.append(tr("The transcript of it was edited since"))
    return tuple(said)


def _count(tokens: int | None) -> str:
    return "?" if tokens is None else f"{tokens:,}"


def _setting(one: Judgment, key: str) -> str:
    settings = one.judge.get("settings")
    return str(settings.get(key, "")) if isinstance(settings, dict) else ""
