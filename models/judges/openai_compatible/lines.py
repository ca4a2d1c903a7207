"""One line for people about a request that was not answered: what happened, and what to do about it."""

from datetime import datetime, timedelta

from models.judges.openai_compatible.failures import Cause, Failure


def line_of(failure: Failure, host: str, model: str, keyed: bool, calls: int) -> str:
    """Return the line; the server's words in it may still hold a key.

    Args:
        failure: of the last request.
        host: of the server.
        model: that was asked for.
        keyed: whether a key was sent.
        calls: requests that were made.
    """
    said = f": {failure.said.rstrip('.')}" if failure.said else ""
    code = f" (HTTP {failure.status})" if failure.status else ""
    match failure.cause:
        case Cause.KEY if failure.status == 401:
            what = "does not accept the key" if keyed else "wants a key"
            return f"{host} {what}{code}; set it with: greenroom judge key"
        case Cause.KEY:
            return f"{host} does not let this key ask {model}{code}{said}"
        case Cause.QUOTA:
            return f"The account at {host} has no money left{code}{said}"
        case Cause.MISSING:
            return f"{host} has no model {model}, or nothing at this address{code}{said}; try: greenroom judge test"
        case Cause.FILTERED:
            return f"{host} refuses to answer this{code}{said}"
        case Cause.CONTEXT:
            return _too_long(failure, model)
        case Cause.BUSY:
            return f"{host} could not be asked{code}{said}{_again(failure, calls)}"
        case _ if failure.status == 200:
            return f"{host} gives no answer{said}"
        case _ if not failure.status:
            return f"{host} could not be asked{said}"
        case _:
            return f"{host} refuses the request{code}{said}"


def _too_long(failure: Failure, model: str) -> str:
    found = failure.too_long
    asked = f"{found.asked:,} tokens" if found and found.asked else "more tokens"
    room = f"{found.room:,}" if found and found.room else "fewer"
    than = "" if found and found.asked else " than that"
    return (
        f"The question does not fit: it has {asked}{than}, {model} holds {room}. Send fewer frames or fewer turns "
        "before the segment, allow a shorter answer, or start the server with a larger context"
    )


def _again(failure: Failure, calls: int) -> str:
    tried = f", tried {calls} times" if calls > 1 else ""
    if failure.hint_s is None:
        return tried
    when = datetime.now().astimezone() + timedelta(seconds=failure.hint_s)
    seconds = f"{failure.hint_s:,.0f} s" if failure.hint_s < 120 else f"{failure.hint_s / 60:,.0f} minutes"
    return f"{tried}; it wants to be asked again in {seconds}, at {when:%H:%M} on {when:%Y-%m-%d}"
