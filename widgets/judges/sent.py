"""What is sent to a judge, as facts for the inspector."""

from dataclasses import dataclass

from PySide6.QtGui import QImage


@dataclass(frozen=True, slots=True)
class SentPicture:
    """One frame, or a clip.

    Attributes:
        shown: the time that the judge is told.
        about: pixels, or length.
        size: bytes that are sent.
        picture: None where it is not there to be shown.
        note: why it is not, or what it is.
    """

    shown: str
    about: str
    size: int
    sha256: str
    picture: QImage | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class SentMessage:
    """One message: what comes with it, and its words."""

    role: str
    text: str
    pictures: tuple[SentPicture, ...] = ()

    @property
    def size(self) -> int:
        """Bytes of its words."""
        return len(self.text.encode("utf-8", "replace"))


@dataclass(frozen=True, slots=True)
class Sent:
    """Everything that goes to one judge about one segment.

    Attributes:
        judge: its name, and what it sees.
        where: `this machine`, or which host.
        local: whether it stays on this machine.
        permission: under which it may leave, or was let through; "" where it is forbidden.
        forbidden: which rule forbids it, in words; "" where none does.
        notes: what was shortened and by which rule, and other remarks.
        form: the schema that the answer has to fit, as text.
        settings: how the model is asked, in a line.
    """

    judge: str
    where: str
    local: bool
    permission: str
    forbidden: str
    messages: tuple[SentMessage, ...]
    notes: tuple[str, ...] = ()
    form: str = ""
    settings: str = ""

    @property
    def words(self) -> int:
        """Bytes of all words."""
        return sum(one.size for one in self.messages)

    @property
    def pictures(self) -> tuple[SentPicture, ...]:
        """All frames and clips."""
        return tuple(picture for one in self.messages for picture in one.pictures)

    @property
    def total(self) -> int:
        """Bytes of words, pictures and the form of the answer."""
        return self.words + sum(one.size for one in self.pictures) + len(self.form.encode())
