"""What the pages of the documentation show and no other picture does: something is made, asked or played first."""

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QLineEdit, QWidget

from app.gui.episodes.episodes_window import EpisodesWindow
from app.gui.judges.request_inspector import SentView
from app.gui.questions.questions_page import QuestionsPage
from app.gui.release.pii_tab import PiiTab
from benchmark.authoring.rule_questions import add_rule_questions
from benchmark.episodes.episode_setup import CastMember, EpisodeSetup, OpeningTurn, start_episode
from project.entities.roleplay import Act, AgentPlayer, AgentTurn, Episode, EpisodeSource, Profile, Relationship
from project.queries.chain_rows import chains_of
from project.queries.question_rows import questions_of
from tools.screens.asked import page
from tools.screens.taking import WindowCamera, scene

_TALL = QSize(1440, 960)
"""Checks, buttons and chain at a glance."""
_ANNA = Profile(
    "Anna Berg", "34", "Baker", "she/her", "warm", "generosity", public_info="Runs the bakery on the square."
)
_BRAM = Profile("Bram Vos", "29", "Teacher", "he/him", "shy", "thrift", "weighs everything", secret="He lost his job.")
_NAME = "Lind"
_SAID = (
    (0, Act.SPEAK, "Good morning! That lamp caught your eye, didn't it? It is from the twenties."),
    (1, Act.SPEAK, "It is pretty. What would you want for it?"),
    (0, Act.SPEAK, "Forty, and I wrap it for you."),
    (1, Act.SPEAK, "My sister has one that looks just like it."),
    (0, Act.NONVERBAL, "turns the lamp so that its brass catches the light"),
    (1, Act.ACTION, "counts thirty onto the table"),
    (0, Act.SPEAK, "Thirty-five, because you asked so kindly."),
)


@scene("60-inspector")
def _inspector(camera: WindowCamera) -> None:
    page(camera, "judges")

    def with_pictures(shown: QWidget) -> None:
        assert isinstance(shown, SentView)
        for at in range(shown.offered.count()):
            shown.offered.setCurrentIndex(at)
            camera.settle(1.0, until=lambda: shown.current_preview() is not None)
            sent = shown.current_preview()
            if sent is not None and sent.pictures:
                return

    camera.modal("60-inspector", camera.window.menus.actions["what_is_sent"].trigger, with_pictures)


@scene("60-episode")
def _episode(camera: WindowCamera) -> None:
    session = camera.session
    seats = (
        CastMember(_ANNA, "Sell the lamp for 40.", AgentPlayer.PERSON),
        CastMember(_BRAM, "Buy the lamp for 30 or less.", AgentPlayer.PERSON),
    )
    context = "Two people stand at a stall on a flea market, a lamp between them."
    wanted = EpisodeSetup(
        "The lamp",
        seats,
        Episode("", context, Relationship.ACQUAINTANCE, EpisodeSource.PLAYED, 20),
        tuple(OpeningTurn(AgentTurn(act, text), seat) for seat, act, text in _SAID),
    )
    recording, changes = start_episode(session, wanted)
    camera.window.studio.publish(changes)
    shown = camera.window.windows.open_window("episodes")
    assert isinstance(shown, EpisodesWindow)
    shown.show_episode(recording)
    camera.settle(0.4)
    if shown.page.play.raise_curtain.isVisible():
        shown.page.play.raise_curtain.click()
    shown.page.play.bar.words.setText("All right, thirty-five.")
    camera.take("60-episode", shown)
    shown.window().close()
    camera.window.studio.undo()


@scene("60-verification")
def _verification(camera: WindowCamera) -> None:
    studio = camera.window.studio
    session, here = studio.session, studio.recording
    assert session is not None
    assert here is not None
    me = session.annotator()
    chains = [chain.id for chain in chains_of(session.study, here.id) if me and chain.annotator_id == me.id]
    _made, changes = add_rule_questions(session, chains[:1])
    studio.publish(changes)
    shown = page(camera, "questions")
    assert isinstance(shown, QuestionsPage)
    from_chain = [question.id for question in questions_of(session.study, here.id) if question.chain_id]
    shown.question_chosen.emit(from_chain[len(from_chain) // 2])
    before = camera.window.size()
    camera.window.resize(_TALL)
    camera.take("60-verification")
    camera.window.resize(before)
    studio.undo()


@scene("60-personal")
def _personal(camera: WindowCamera) -> None:
    shown = camera.window.windows.open_window("pii")
    assert isinstance(shown, PiiTab)
    camera.settle(until=lambda: shown.places.model().rowCount() > 0)
    shown.findChildren(QLineEdit)[0].setText(_NAME)
    camera.take("60-personal", shown, seconds=0.6)
    shown.window().close()
