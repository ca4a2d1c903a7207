"""One run of judges as the page follows it: who is asked about what now, and what is left."""

from app.core.jobs import Work
from app.core.judging.runs.asking import queue_of
from app.core.judging.runs.payload import payload_from
from app.gui.judges.sent_words import way_of
from project.errors import UserError
from project.judging import JudgeEntry, Judgment, JudgmentStatus
from widgets.judges.queue_bar import QueueLine
from widgets.judges.shown import State


class Running:
    """Counts what came back by what was stored, and what is under way by what the run says of itself.

    Attributes:
        work: the job.
        open: it waits or runs.
    """

    def __init__(self, work: Work) -> None:
        payload = payload_from(work.parameters)
        self.work = work
        self.open = True
        asked = {one.judge for one in payload.items}
        self._judges = {payload.entries[at].id: payload.entries[at] for at in sorted(asked)}
        self._left = {(payload.entries[one.judge].id, one.about, one.condition) for one in payload.items}
        self._segments = sorted({one.about for one in payload.items})
        self._conditions = sorted({one.condition for one in payload.items})
        self._done: dict[str, int] = dict.fromkeys(self._judges, 0)
        self._failed: dict[str, int] = dict.fromkeys(self._judges, 0)
        self._where = {key: _where(entry) for key, entry in self._judges.items()}

    def conditions(self) -> list[str]:
        """Return what the judges see."""
        return self._conditions

    def segments(self) -> list[str]:
        """Return which segments it is about."""
        return self._segments

    def take(self, one: Judgment) -> None:
        """Take in that something came back."""
        asked = (one.judge_id, one.segment_id, one.condition)
        if asked not in self._left:
            return
        self._left.discard(asked)
        self._done[one.judge_id] += 1
        if one.status is not JudgmentStatus.OK:
            self._failed[one.judge_id] += 1

    def withdraw(self, judge_id: str, segment_id: str = "", condition: str = "") -> bool:
        """Give up what a judge is asked, all or a part; tells whether nothing is left of the run then."""
        gone = {
            one for one in self._left if one[0] == judge_id and segment_id in ("", one[1]) and condition in ("", one[2])
        }
        if gone:
            queue_of(self.work).withdraw(judge_id, segment_id)
            self._left -= gone
        return bool(gone) and not self._left

    def end(self) -> None:
        """Take in that it ended."""
        self.open = False
        self._left.clear()

    def states(self, running: bool) -> dict[tuple[str, str, str], State]:
        """Return (segment, judge, condition) -> how far it is."""
        asked = self._asked() if running else set()
        return {
            (which, who, condition): State.ASKING if (who, which) in asked else State.WAITING
            for who, which, condition in self._left
        }

    def lines(self, running: bool) -> list[QueueLine]:
        """Return how far each judge is."""
        asked = self._asked() if running else set()
        found = []
        for key, entry in self._judges.items():
            left = [(who, which) for who, which, _ in self._left if who == key]
            under_way = sum(one in asked for one in left)
            done, failed = self._done[key] - self._failed[key], self._failed[key]
            found.append(QueueLine(key, entry.name, self._where[key], under_way, len(left) - under_way, done, failed))
        return found

    def _asked(self) -> set[tuple[str, str]]:
        return {(one.judge_id, which) for one in queue_of(self.work).standings for which in one.asking}


def _where(entry: JudgeEntry) -> str:
    try:
        return way_of(entry).where
    except UserError:
        return ""
