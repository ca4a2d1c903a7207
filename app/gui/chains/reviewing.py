"""What a second expert says about a chain, their own version of it, and the agreed one."""

from PySide6.QtCore import QObject

from app.core.chains.state import state_of
from app.core.commands import chain_reviews as commands
from app.core.session import Session
from app.gui.chains.chosen import ChosenChain
from app.gui.context import Context
from project.chains import ChainDecision
from project.queries.chains import chain_reviews
from project.types import Changes
from resources.translation import tr
from widgets.chain_page.page import ChainsPage, Part
from widgets.chain_page.shown import SaidReview, ShownReviews


class ChainReviewing(QObject):
    """Fills the review part and turns what is said there into edits."""

    def __init__(self, context: Context, page: ChainsPage, chosen: ChosenChain) -> None:
        super().__init__(page)
        self._studio = context.studio
        self._page = page
        self._chosen = chosen
        chosen.changed.connect(self._renew)
        page.visible_changed.connect(lambda visible: self._renew() if visible else None)
        page.review.decided.connect(self._decide)
        page.review.withdraw_requested.connect(self.withdraw)
        page.review.copy_requested.connect(self.copy)
        page.review.agreed_requested.connect(self.agree_on)

    def decide(self, decision: ChainDecision) -> None:
        """Say something about the chain, with the note that stands on the page."""
        self._page.show_part(Part.REVIEW)
        self._page.review.decide(decision)

    def write_note(self) -> None:
        """Let a note be typed."""
        self._page.show_part(Part.REVIEW)
        self._page.review.write_note()

    def withdraw(self) -> None:
        """Take back what one said."""
        self._studio.edit(lambda session: commands.withdraw_chain_review(session, self._chosen.id))

    def copy(self) -> None:
        """Draw a version of one's own, and go on with that one."""
        if self._studio.edit(lambda session: commands.copy_for_change(session, self._chosen.id)[1]):
            self._studio.told.emit(tr("This is your own version: what you change in it leaves the other one as it is."))

    def agree_on(self) -> None:
        """Make the chosen version the agreed one."""
        made: list[str] = []

        def do(session: Session) -> Changes:
            new, changes = commands.make_consensus(session, self._chosen.id, self._chosen.id)
            made.append(new)
            return changes

        if self._studio.edit(do):
            self._chosen.choose(made[0])
            self._studio.told.emit(tr("This is the agreed version now."))

    def _decide(self, decision: str, note: str) -> None:
        self._studio.edit(
            lambda session: commands.review_chain(session, self._chosen.id, ChainDecision(decision), note)
        )

    def _renew(self) -> None:
        session, graph, chosen = self._studio.session, self._chosen.graph, self._chosen
        if session is None or graph is None or not self._page.isVisible():
            return
        chain, state = graph.chain, state_of(graph)
        who = session.annotator()
        said = chain_reviews(session.study, chain.id)
        mine = next((one for one in said if who is not None and one.reviewer_id == who.id), None)
        based = next((one for one in chosen.chains if one.id == chain.based_on), None)
        lines = [
            tr("Drawn by {author}.").format(author=chosen.author(chain))
            if not chosen.agreed
            else tr("The version that was agreed on.")
        ]
        if based is not None:
            lines.append(tr("Made from “{name}” of {author}.").format(name=based.name, author=chosen.author(based)))
        why = ""
        if not self._studio.writable:
            why = session.study.read_only_reason
        elif chosen.agreed:
            why = tr("Review the chain that this version was made from.")
        elif chosen.own:
            why = tr("You drew this chain: somebody else reviews it.")
        self._page.set_reviews(len(said))
        self._page.review.show_reviews(
            ShownReviews(
                chain.id,
                tuple(lines),
                tuple(
                    SaidReview(chosen.name_of(one.reviewer_id), one.decision, one.note, one.at[:10], one.state != state)
                    for one in said
                ),
                not why,
                mine.decision if mine is not None else None,
                mine.note if mine is not None else "",
                self._studio.writable and not chosen.own,
                self._studio.writable and not chosen.agreed and bool(graph.edges),
                why,
            )
        )
