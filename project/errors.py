"""The exception that carries a message for the user rather than a bug, and the one that cancels a job."""


class UserError(Exception):
    """Something the user can put right.

    Shown in the message bar, or printed by the command line before it exits with 2. Anything else that is
    raised is a bug and is treated as one.

    Attributes:
        message: one line that says what is wrong.
        hint: one line that says what to do next; may be empty.
    """

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()


class Cancelled(Exception):
    """The user stopped a job. Raised by `Progress.check_cancelled`."""
