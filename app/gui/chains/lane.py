"""The timeline's lane of the nodes of the chain that is worked on."""

from PySide6.QtCore import QObject

from app.gui.chains.chosen import ChosenChain
from app.gui.chains.drawing import ChainDrawing
from app.gui.timeline_feed import TimelineFeed
from widgets.timeline.nodes import node_bar, node_lane
from widgets.timeline.view import TimelineView


class ChainLane(QObject):
    """Shows the nodes, and hands what is done to them on the timeline to who edits."""

    def __init__(
        self, chosen: ChosenChain, drawing: ChainDrawing, feed: TimelineFeed, timeline: TimelineView, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._chosen = chosen
        self._feed = feed
        chosen.changed.connect(self.show)
        chosen.listed.connect(self.show)
        timeline.node_move_requested.connect(drawing.move)
        timeline.node_create_requested.connect(lambda _lane, start, end: drawing.draw(start, end))
        timeline.node_delete_requested.connect(drawing.delete)
        timeline.node_nudge_requested.connect(drawing.nudge)

    def show(self) -> None:
        """Show the chain as it is now."""
        chosen, graph = self._chosen, self._chosen.graph
        if graph is None:
            self._feed.set_chain(None)
            return
        chain = graph.chain
        lane = node_lane(chain.name, chosen.author(chain), chosen.editable)
        names = {key: one.pseudonym for key, one in chosen.people.items()}
        self._feed.set_chain(
            lane,
            [
                node_bar(
                    one,
                    chain.recording_id,
                    [names[who] for who in one.people if who in names],
                    chosen.flags.get(one.id, "").partition("\n")[0],
                )
                for one in graph.nodes
            ],
        )
