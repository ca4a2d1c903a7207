"""The policy of a study in words."""

from project.policy import Level, Policy
from resources.translation import later

LEVELS = {
    Level.NOTHING: later("Nothing leaves this machine"),
    Level.ANONYMIZED: later("Reviewed renderings and scrubbed texts may leave"),
    Level.RAW: later("Raw footage may leave"),
}
"""What each level is called."""

MEANINGS = {
    Level.NOTHING: later("Judges run here, or at servers on this machine. Other machines are not even looked up."),
    Level.ANONYMIZED: later(
        "What passes the rules of a release as it is now, of people who agreed to be sent to models."
    ),
    Level.RAW: later(
        "Pictures and words as they are, faces and names in them, of people who agreed to be sent to models."
    ),
}
"""What each level means, in a line."""


UNENCRYPTED = later(
    "Over http:// and tcp:// addresses of other machines, words and keys travel unencrypted: everybody on the way can "
    "read them."
)
"""What it means to allow connections that are not encrypted, in a line."""


def about_policy(policy: Policy) -> list[str]:
    """Return the policy as lines."""
    found = [f"{LEVELS[policy.level]}. {MEANINGS[policy.level]}"]
    if policy.reason:
        found.append(f"Reason: {policy.reason}")
    if policy.allowed_by:
        found.append(f"Allowed by: {policy.allowed_by}")
    if policy.level is not Level.NOTHING:
        found.append(f"To: {', '.join(policy.hosts) or 'whichever machine a judge names'}")
    found.append(f"Downloads of models: {_allowed(policy.downloads)}")
    found.append(f"Redirects: {_allowed(policy.redirects)}")
    found.append(f"Proxies: {_allowed(policy.proxies)}")
    found.append(f"Unencrypted connections: {_allowed(policy.unencrypted)}")
    if policy.unencrypted:
        found.append(UNENCRYPTED)
    return found


def warning(policy: Policy) -> str:
    """Return a line for who opens a study, where its policy lets something of it leave; "" where it does not."""
    if policy.level is Level.NOTHING:
        return ""
    what = "raw footage" if policy.level is Level.RAW else "reviewed renderings"
    by = f", allowed by {policy.allowed_by}" if policy.allowed_by else ""
    return f"This study lets {what} leave this machine{by}."


def _allowed(yes: bool) -> str:
    return "allowed" if yes else "not allowed"
