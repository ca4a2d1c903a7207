"""Shows what judges and people say about the selected segment, as far as whoever works here may see it."""

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal

from app.core.judging.annotators.reveals import reveal, shown
from app.core.judging.seeing.conditions import conditions, unread_renderings
from app.core.leaving.clip import read
from app.core.session import Session
from app.gui.context import Context
from app.gui.judges.sent_words import leaving, second_of
from app.gui.judges.words import Known, Wanted, table_of
from benchmark.tasks.base import VARIANTS
from benchmark.tasks.registry import BY_SUBJECT, OF_SETS, task_of
from project.errors import UserError
from project.judging import PERSON, RAW, JudgeEntry, Judgment, Subject
from project.queries.judges import all_judges
from project.queries.judgments import judged_segments, judgments_of
from project.queries.segments import segment
from project.types import Changes, Segment
from resources.translation import tr
from widgets.judges.page import JudgesPage
from widgets.judges.shown import State
from widgets.judges.tick_menu import Entry

_TABLES = frozenset(
    {
        *("segment", "segment_value", "judge", "judgment", "annotator", "participant", "property", "adoption"),
        *("run", "face_review", "utterance", "pii_decision"),
    }
)
VARIANT_WORDS = {
    "plain": (tr("Plain"), tr("The question as it is")),
    "few-shot": (
        tr("Few-shot"),
        tr(
            "With examples before it: reviewed segments of other recordings in which everybody agreed to be sent to "
            "models, else those of the scheme"
        ),
    ),
    "cot": (tr("Chain of thought"), tr("Thoughts first, apart from the answer")),
    "tom": (tr("Theory of mind"), tr("Thoughts about what each person knows, wants and feels, first")),
}


class Showing(QObject):
    """Works while the page is in sight; what changed meanwhile is read when it comes back.

    Signals:
        renewed: other judges, another segment or another choice is shown.
    """

    renewed = Signal()

    def __init__(self, context: Context, page: JudgesPage) -> None:
        super().__init__(page)
        self._context = context
        self._page = page
        self._stale = True
        self.under_way: dict[tuple[str, str, str], State] = {}
        """State by (segment, judge, condition), of what is asked now."""
        self.not_sent: dict[tuple[str, str, str], str] = {}
        """Why it was not asked, by (segment, judge, condition)."""
        tasks = [key for key in BY_SUBJECT[Subject.SEGMENT] if key not in OF_SETS]
        page.bar.set_tasks({key: (task_of(key).name, task_of(key).description) for key in tasks})
        page.bar.set_variants({key: VARIANT_WORDS[key] for key in VARIANTS})
        studio = context.studio
        studio.recording_changed.connect(self.renew)
        studio.session_changed.connect(self.renew)
        studio.selection_changed.connect(self.renew)
        studio.bridge.changed.connect(self._apply)
        page.visible_changed.connect(lambda visible: self._reload() if visible and self._stale else None)
        page.bar.changed.connect(self.renew)

    def session(self) -> Session | None:
        """Return the study that is open."""
        return self._context.studio.session

    def segment(self) -> Segment | None:
        """Return the segment that is shown: the one that was selected last."""
        session, chosen = self.session(), self._context.studio.selected
        return segment(session.study, chosen[-1]) if session is not None and chosen else None

    def segments(self) -> list[str]:
        """Return the segments that are asked about: all that are selected."""
        return list(self._context.studio.selected)

    def judges(self) -> list[JudgeEntry]:
        """Return every judge of the study."""
        session = self.session()
        return all_judges(session.study) if session is not None else []

    def chosen(self) -> list[JudgeEntry]:
        """Return the judges that are ticked, people left out: they answer in a form."""
        wanted = set(self._page.bar.judges.chosen())
        return [one for one in self.judges() if one.id in wanted and one.backend != PERSON]

    def chosen_conditions(self) -> list[str]:
        """Return what the judges see; raw where nothing else is ticked."""
        return list(self._page.bar.conditions.chosen()) or [RAW]

    def judgment(self, judgment_id: str) -> Judgment | None:
        """Return a judgment of the segment that is shown, as far as it may be seen."""
        session, about = self.session(), self.segment()
        if session is None or about is None:
            return None
        seen = shown(session, judgments_of(session.study, about.id))
        return next((one for one in (*seen.judgments, *seen.hidden) if one.id == judgment_id), None)

    def renew(self) -> None:
        """Read everything again, now or when the page comes into sight."""
        self._stale = True
        if self._page.isVisible():
            self._reload()

    def _apply(self, changes: Changes, _initiator: object) -> None:
        touched = _TABLES & set(changes)
        if touched == {"judgment"} and not self._concerned(changes):
            return
        if touched:
            self.renew()

    def _concerned(self, changes: Changes) -> bool:
        """Tell whether any of the judgments that came is about the segment that is shown."""
        session, chosen = self.session(), self._context.studio.selected
        if session is None or not chosen:
            return False
        return chosen[-1] in judged_segments(session.study, changes.ids("judgment"))

    def _reload(self) -> None:
        self._stale = False
        session, recording = self.session(), self._context.studio.recording
        if session is None:
            return
        try:
            self._fill_bar(session, recording.id if recording is not None else "")
            self._show(session)
        except UserError as error:
            self._page.show_nothing(error.message, error.hint)
        self.renewed.emit()

    def _fill_bar(self, session: Session, recording_id: str) -> None:
        bar = self._page.bar
        judges = all_judges(session.study)
        offered = [Entry(one.id, one.name, f"{one.backend} {one.model}".strip()) for one in judges]
        if {one.key for one in offered} - {one.key for one in bar.judges.entries()} and not bar.judges.wanted():
            bar.judges.blockSignals(True)
            bar.judges.choose(one.id for one in judges if _stays(one, judges))
            bar.judges.blockSignals(False)
        bar.judges.set_entries(offered)
        found = conditions(session, recording_id) if recording_id else []
        if recording_id and (files := unread_renderings(session, recording_id)):
            self._context.background.run(lambda _progress: read(files), lambda _none: self.renew())
        bar.conditions.set_entries(
            [Entry(one.id, tr("Raw") if one.id == RAW else one.name, one.why_not) for one in found]
        )

    def _show(self, session: Session) -> None:
        about, judges = self.segment(), self.judges()
        if self._context.studio.recording is None:
            self._page.show_nothing(tr("No recording is open"), tr("Choose one on the left, or add some: Ctrl+O."))
        elif about is None:
            if not judges:
                self._page.show_no_judge(self._context.studio.writable)
            else:
                self._page.show_nothing(
                    tr("No segment is selected"), tr("Click one on the timeline, or press Down there.")
                )
        else:
            self._show_segment(session, about, judges)

    def _show_segment(self, session: Session, about: Segment, judges: Sequence[JudgeEntry]) -> None:
        bar = self._page.bar
        task, variant = bar.chosen_task(), bar.chosen_variant()
        said = [
            one
            for one in judgments_of(session.study, about.id, task)
            if one.variant == variant or one.judge.get("backend") == PERSON
        ]
        if said:
            reveal(session, about.id, task)
        seen = shown(session, said)
        if not judges and not said:
            self._page.show_no_judge(self._context.studio.writable)
            return
        wanted = [Wanted(judge, condition) for judge in self.chosen() for condition in self.chosen_conditions()]
        under_way = {(who, seeing): how for (which, who, seeing), how in self.under_way.items() if which == about.id}
        not_sent = {(who, seeing): why for (which, who, seeing), why in self.not_sent.items() if which == about.id}
        names = {one.key: one.name for one in bar.conditions.entries()} | {RAW: tr("Raw")}
        known = Known(seen.judgments, seen.hidden, seen.why_not, wanted, under_way, not_sent, names)
        self._page.show_table(table_of(session, about, known))


def _stays(entry: JudgeEntry, judges: Sequence[JudgeEntry]) -> bool:
    """Tell whether asking a judge sends nothing to another machine: others are asked once somebody ticked them.

    A study may come from somebody else, with its policy, and Ctrl+J asks from whatever mode.
    """
    try:
        return not leaving(entry, RAW, second_of(entry, judges))
    except UserError:
        return False
