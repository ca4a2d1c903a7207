"""Small pictures of the faces and persons of a recording, where each is surest."""

from collections.abc import Sequence

from PySide6.QtCore import QObject
from PySide6.QtGui import QImage

from app.core.meta.people import Person
from app.core.meta.person_regions import PersonTrack
from app.core.session import Session
from app.gui.faces.cards import Crop
from app.gui.faces.crops import Crops
from project.errors import UserError
from widgets.meta.people_table import PeopleTable

_AROUND = 1.25


class Pictures(QObject):
    """Asks for two pictures of each person, and hands them to the table."""

    def __init__(self, table: PeopleTable) -> None:
        super().__init__(table)
        self._table = table
        self._asked: dict[str, tuple[Crop, Crop]] = {}
        self._crops = Crops(self)
        self._crops.ready.connect(self._deliver)
        table.destroyed.connect(self._crops.close)

    def show(self, session: Session, recording_id: str, people: Sequence[Person]) -> None:
        """Ask for the pictures that are not there yet."""
        try:
            path = session.usable_picture(recording_id).path
        except UserError:
            return
        if self._crops.open(path):
            self._asked.clear()
        for one in people:
            key = "" if one.participant is None else one.participant.id
            crops = _crops(one.tracks)
            if crops is not None and self._asked.get(key) != crops:
                self._asked[key] = crops
                self._crops.request(key, crops)

    def close(self) -> None:
        """End the thread."""
        self._crops.close()

    def _deliver(self, key: str, images: Sequence[QImage]) -> None:
        self._table.set_pictures(key, images[0], images[1])


def _crops(tracks: Sequence[PersonTrack]) -> tuple[Crop, Crop] | None:
    if not tracks:
        return None
    best = max(tracks, key=lambda one: float(one.face.scores.max()))
    at = int(best.face.scores.argmax())
    frame = int(best.face.frames[at])
    return _square(frame, best.face.boxes[at], _AROUND), _square(frame, best.boxes[at], 1.0)


def _square(frame: int, box: Sequence[float], around: float) -> Crop:
    x, y, width, height = (float(side) for side in box)
    side = max(8.0, around * max(width, height))
    return Crop(frame, round(x + (width - side) / 2), round(y + (height - side) / 2), max(1, round(side)))
