"""Which track of which scheme new segments go to."""

from PySide6.QtCore import QObject, Signal

from app.gui.studio import Studio
from project.schemes.scheme import Scheme, Track
from project.types import Changes
from resources.translation import tr

_SCHEMES = "schemes"


class ActiveTrack(QObject):
    """Follows the schemes of the study that is open; with one that is gone, the first track of the default one.

    Signals:
        changed: another track, or the schemes of the study are others.
    """

    changed = Signal()

    def __init__(self, studio: Studio, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._studio = studio
        self._chosen = ("", "")
        studio.session_changed.connect(self.changed)
        studio.bridge.changed.connect(self._apply)

    @property
    def scheme(self) -> Scheme | None:
        """The scheme; None while no study is open."""
        session = self._studio.session
        if session is None:
            return None
        key = self._chosen[0]
        return session.schemes.get(key) if session.schemes.uses(key) else session.schemes.default

    @property
    def track(self) -> Track | None:
        """The track; None while no study is open."""
        scheme = self.scheme
        if scheme is None:
            return None
        same = self._chosen[0] == scheme.key
        found = next((track for track in scheme.tracks if same and track.key == self._chosen[1]), None)
        return found or scheme.tracks[0]

    @property
    def place(self) -> tuple[str, str] | None:
        """Keys of the scheme and the track; None while no study is open."""
        scheme, track = self.scheme, self.track
        return None if scheme is None or track is None else (scheme.key, track.key)

    @property
    def key(self) -> str:
        """Both keys as one word, to remember and to give to `choose`."""
        return "/".join(self.place or ())

    def tracks(self) -> list[tuple[str, str]]:
        """Return key and name of every track of the schemes in use, in their order."""
        session = self._studio.session
        return [
            (f"{scheme.key}/{track.key}", scheme.name if len(scheme.tracks) == 1 else f"{track.name} ({scheme.name})")
            for scheme in session.schemes
            for track in scheme.tracks
        ] if session else []  # fmt: skip

    def choose(self, key: str) -> None:
        """Let new segments go to another track, given as `key` gives it."""
        scheme, _, track = key.partition("/")
        if (scheme, track) != self.place:
            self._chosen = (scheme, track)
            self.changed.emit()

    def choose_next(self) -> None:
        """Let new segments go to the next track."""
        keys = [key for key, _ in self.tracks()]
        if len(keys) < 2:
            self._studio.told.emit(tr("This study has one track. Study, Schemes… adds others."))
            return
        names = dict(self.tracks())
        following = keys[(keys.index(self.key) + 1) % len(keys)]
        self.choose(following)
        self._studio.told.emit(tr("New segments go to {names}.").format(names=names[following]))

    def _apply(self, changes: Changes, _initiator: object) -> None:
        if _SCHEMES in changes.ids("property") or changes.ids("scheme_version"):
            self.changed.emit()
