"""The models window: lists models and optional parts, downloads them, and adds, verifies and removes models."""

from pathlib import Path

from anonymize.egress import weights_download_job
from anonymize.egress.egress_authority import policy_in_force
from app.gui.pages.context import Context
from app.gui.pages.study_view import StudyView
from app.gui.settings.models_table import ModelDetails, ModelGroup, ModelPanel, ModelRow, ModelsTable, ModelState
from app.gui.study.background import PendingTask
from app.gui.study.dialogs import require_permission
from models.weights import installed_weights
from models.weights.model_list import (
    PART_USE,
    DownloadAccess,
    ModelCatalogueEntry,
    download_access,
    list_models,
    list_parts,
)
from models.weights.weights_catalogue import USES
from project.entities.study_records import Changes
from project.errors import UserError
from project.queries.policy_rows import POLICY_PROPERTY
from project.session.jobs import JobSpec
from project.session.session import Session
from project.text_format import format_size
from resources.translation import tr
from widgets import theme
from widgets.text_labels import PlainLabel

DOWNLOAD_NOTICE = tr(
    "Only models and optional parts of the program come onto this machine, and only when you press Fetch or Add. "
    "Nothing of a study goes out: no picture, no sound, no word, no name."
)


_PERMISSION_HINT = tr("The policy of this study allows no downloads: you are asked first.")


def model_groups(models: list[ModelCatalogueEntry], busy: dict[str, str], damaged: dict[str, str]) -> list[ModelGroup]:
    """Return the table's groups.

    Args:
        models: all.
        busy: what happens to some of them, in a word or two, by name.
        damaged: what is wrong with some of them, by name.
    """
    return [
        ModelGroup(
            use,
            heading,
            tuple(
                _model_row(model, busy.get(model.name, ""), model.name in damaged)
                for model in models
                if model.use == use
            ),
        )
        for use, heading in {**USES, PART_USE: tr("Optional parts of the program")}.items()
    ]


def model_details(entry: ModelCatalogueEntry, network: DownloadAccess, busy: str, damaged: str) -> ModelDetails:
    """Return what the panel shows of a model."""
    size = format_size(entry.offers[0].size) if entry.offers else ""
    goes_on = tr(", {arrived} are here").format(arrived=format_size(entry.arrived)) if entry.arrived else ""
    sound = entry.installed and not damaged
    fetch = (
        tr("&Fetch")
        if sound
        else tr("&Fetch again ({size})").format(size=size)
        if entry.installed
        else tr("&Fetch ({size}{goes_on})").format(size=size, goes_on=goes_on)
    )
    where = tr("It is in {place}.").format(place=entry.place) if entry.installed else ""
    origin = (
        tr("From {list}.").format(list=tr(" or ").join(offer.origin for offer in entry.offers)) if entry.offers else ""
    )
    bring = (
        tr("You bring your own: Greenroom cannot fetch it. See “Your own networks” in the guide.")
        if entry.is_own
        else ""
    )
    places = "" if sound or entry.is_part else tr(" or ").join(offer.elsewhere for offer in entry.offers)
    by_hand = tr("By hand: {command}").format(command=entry.offers[0].elsewhere) if entry.is_part and not sound else ""
    lines = (
        _capitalize_first(entry.purpose),
        tr("Used in {places}. Licence: {licence}.").format(places=entry.used_in, licence=_licence_text(entry)),
        f"{origin}{bring} {where}".strip(),
        entry.note,
        by_hand,
        tr("On another machine, get it from {places}, and add it here.").format(places=places)
        if network.offline and places
        else "",
        tr("Damaged: {damaged}. Fetch or add it again.").format(damaged=damaged) if damaged else "",
    )
    return ModelDetails(
        key=entry.name,
        title=entry.name,
        lines=tuple(line for line in lines if line),
        sources=tuple((offer.key, offer.origin) for offer in entry.offers),
        fetch=fetch,
        refusal=_refusal_text(sound, network),
        folder=not entry.is_part and (entry.folder or not entry.is_own),
        file=not entry.is_part and not (entry.is_own and entry.folder),
        is_own=entry.is_own,
        can_verify=entry.installed and not entry.is_part,
        left=not entry.is_part and (entry.installed or bool(entry.arrived)),
        is_busy=bool(busy),
    )


def network_text(network: DownloadAccess, allowed: bool) -> str:
    """Return whom a fetch would ask, or that this machine is offline and what to do then.

    Args:
        network: what the environment says.
        allowed: whether the policy of the study allows downloads.
    """
    if network.offline:
        return tr(
            "This machine is said to be offline ({offline} is set): nothing is fetched. "
            "Get the files on another machine and add them here."
        ).format(offline=network.offline)
    asked = tr(" and ").join(network.hosts)
    whom = (
        tr("A fetch asks the mirror {asked}.").format(asked=asked)
        if network.mirrored
        else tr("A fetch asks {asked}, or the model's makers.").format(asked=asked)
    )
    return whom if allowed else f"{whom} {_PERMISSION_HINT}"


def _model_row(entry: ModelCatalogueEntry, busy: str, damaged: bool) -> ModelRow:
    size = entry.on_disk if entry.installed else entry.offers[0].size if entry.offers else 0
    state, said = _model_state(entry, busy, damaged)
    return ModelRow(
        entry.name,
        state,
        said,
        format_size(size) if size else "",
        _licence_text(entry),
        _capitalize_first(entry.purpose),
        entry.used_in,
    )


def _model_state(entry: ModelCatalogueEntry, busy: str, damaged: bool) -> tuple[ModelState, str]:
    if busy:
        return ModelState.BUSY, busy
    if damaged:
        return ModelState.DAMAGED, "damaged"
    if entry.installed:
        return ModelState.INSTALLED, "installed"
    if entry.arrived:
        return ModelState.PARTLY, tr("{arrived} arrived").format(arrived=format_size(entry.arrived))
    return ModelState.ABSENT, tr("bring your own") if entry.is_own else tr("not installed")


def _refusal_text(sound: bool, network: DownloadAccess) -> str:
    if network.offline:
        return tr("Nothing is fetched, because {offline} is set").format(offline=network.offline)
    return tr("It is installed") if sound else ""


def _licence_text(entry: ModelCatalogueEntry) -> str:
    return tr("you specify") if entry.is_own and not entry.installed else entry.licence


def _capitalize_first(text: str) -> str:
    return text[:1].upper() + text[1:]


class ModelsWindow(StudyView):
    """Shows the catalogue and does what is asked with one of its entries."""

    title = tr("Models")
    preferred_size = (1240, 760)

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._jobs = context.jobs
        self._models: dict[str, ModelCatalogueEntry] = {}
        self._works: dict[str, JobSpec] = {}
        self._busy: dict[str, str] = {}
        self._damaged: dict[str, str] = {}
        self._checks: dict[str, PendingTask] = {}
        self.ethics = PlainLabel(DOWNLOAD_NOTICE, wordWrap=True)
        self.network = PlainLabel(wordWrap=True)
        self.table = ModelsTable()
        self.panel = ModelPanel()
        self.lay_out(self.ethics, self.network, self.table, 1, self.panel)
        self._connect_signals()
        for work in self._jobs.jobs():
            self._on_started(work)

    def needs_reload(self, changes: Changes, _initiator: object) -> bool:
        return POLICY_PROPERTY in changes.ids("property")

    def reload(self, session: Session) -> None:
        """Show what is on this machine now."""
        listed = [*list_models(), *list_parts()]
        self._models = {entry.name: entry for entry in listed}
        allowed = policy_in_force(session).downloads
        self.network.setText(network_text(download_access(), allowed))
        self.table.set_groups(model_groups(listed, self._busy, self._damaged))
        if not self.table.current_key():
            self.table.choose(next(iter(self._models)))
        self._show_selected()

    def fetch(self, name: str, key: str = "") -> None:
        """Get a model or an optional part over the network."""
        try:
            work = weights_download_job.prepare(name, key)
            require_permission(self._context.studio, self._context.questions, name, key)
            self._start(name, work)
        except UserError as error:
            self.tell(error)

    def add(self, name: str, source: Path, licence: str = "") -> None:
        """Get a model from a file or folder."""
        try:
            self._start(name, weights_download_job.prepare_adding(name, source, licence))
        except UserError as error:
            self.tell(error)

    def verify(self, name: str) -> None:
        """Compare the files of a model with their checksums; large ones take a while."""
        self._set_busy(name, "checking")
        self.tell(tr("Checking {name}…").format(name=name))

        def done(wrong: str) -> None:
            self._damaged.pop(name, None)
            if wrong:
                self._damaged[name] = wrong
            ended(
                tr("{name} is damaged.").format(name=name)
                if wrong
                else tr("{name} is sound: every checksum is right.").format(name=name)
            )

        def ended(said: str) -> None:
            self._checks.pop(name, None)
            self._set_busy(name, "")
            self.tell(said)

        self._checks[name] = self._context.background.run(
            lambda progress: installed_weights.describe_damage(name, progress),
            done,
            lambda error: ended(str(error)),
            lambda so_far, total, _text: self._show_share(name, "checking", so_far, total),
        )

    def remove(self, name: str) -> None:
        """Delete a model from this machine."""
        try:
            removed = installed_weights.remove(name)
        except UserError as error:
            self.tell(error)
            return
        self._damaged.pop(name, None)
        self.panel.show_remove_confirmation(False)
        self.tell(
            tr("Removed {name}.").format(name=name) if removed else tr("{name} was not installed.").format(name=name)
        )
        self.refresh()

    def cancel(self, name: str) -> None:
        """Stop what is being done with a model."""
        work, check = self._works.get(name), self._checks.pop(name, None)
        if work is not None:
            self._jobs.cancel(work)
        if check is not None:
            check.stop()
            self._set_busy(name, "")
            self.tell(tr("Stopped checking {name}.").format(name=name))

    def _connect_signals(self) -> None:
        self.table.model_chosen.connect(lambda _key: self._show_selected())
        self.panel.fetch_requested.connect(self.fetch)
        self.panel.folder_requested.connect(self._ask_folder)
        self.panel.file_requested.connect(self._ask_file)
        self.panel.verify_requested.connect(self.verify)
        self.panel.remove_requested.connect(self.remove)
        self.panel.cancel_requested.connect(self.cancel)
        self._jobs.started.connect(self._on_started)
        self._jobs.progressed.connect(self._on_progress)
        self._jobs.done.connect(self._on_done)
        self._jobs.stopped.connect(self._on_stopped)
        theme.notifier.changed.connect(self.refresh)

    def _ask_folder(self, name: str, licence: str) -> None:
        found = self._context.questions.folder(tr("Folder with {name}").format(name=name))
        if found is not None:
            self.add(name, found, licence)

    def _ask_file(self, name: str, licence: str) -> None:
        found = self._context.questions.file(tr("File with {name}").format(name=name))
        if found is not None:
            self.add(name, found, licence)

    def _start(self, name: str, work: JobSpec) -> None:
        if name not in self._works:
            self.tell(f"{work.title}…")
            self._jobs.start(work)

    def _on_started(self, work: JobSpec) -> None:
        """Note a job about a model, also one that was asked for elsewhere."""
        if work.kind == weights_download_job.KIND:
            name = work.parameters.name
            self._works[name] = work
            self._set_busy(name, "waiting")

    def _on_progress(self, work: JobSpec, done: int, total: int, _text: str) -> None:
        if work.kind != weights_download_job.KIND:
            return
        name = work.parameters.name
        self._works[name] = work
        self._show_share(name, "adding" if work.parameters.source else "fetching", done, total)

    def _show_share(self, name: str, doing: str, done: int, total: int) -> None:
        if name not in self._busy:
            return
        share = done / total if total else 0.0
        self._busy[name] = f"{doing} {100 * share:.0f} %" if total else f"{doing}…"
        self.table.show_state(name, ModelState.BUSY, self._busy[name])
        if name == self.table.current_key():
            self.panel.set_progress(share)

    def _on_done(self, work: JobSpec, _result: object) -> None:
        # A method, because a lambda would outlive this window, which goes with its study.
        if work.kind == weights_download_job.KIND:
            self._on_end(work, tr("{name} is installed.").format(name=work.parameters.name))

    def _on_stopped(self, work: JobSpec) -> None:
        if work.kind == weights_download_job.KIND:
            problem = self._jobs.failure_of(work)
            self._on_end(
                work,
                str(problem) if problem else tr("Stopped: {title}. What has arrived is kept.").format(title=work.title),
            )

    def _on_end(self, work: JobSpec, said: str) -> None:
        if work.kind != weights_download_job.KIND:
            return
        name = work.parameters.name
        self._works.pop(name, None)
        self._damaged.pop(name, None)
        self._set_busy(name, "")
        self.tell(said)

    def _set_busy(self, name: str, what: str) -> None:
        self._busy.pop(name, None)
        if what:
            self._busy[name] = what
        if name == self.table.current_key():
            self.panel.set_progress(None)
        self.refresh()

    def _show_selected(self) -> None:
        entry = self._models.get(self.table.current_key())
        if entry is not None:
            busy, wrong = self._busy.get(entry.name, ""), self._damaged.get(entry.name, "")
            self.panel.show_model(model_details(entry, download_access(), busy, wrong))
