"""Everything the window can do, in one table: it feeds the menus, the keys and the sheet of all keys."""

from app.gui.actions.chains import CHAINS
from app.gui.actions.edit import EDIT
from app.gui.actions.faces import FACES
from app.gui.actions.file import FILE
from app.gui.actions.help import HELP
from app.gui.actions.judges import JUDGES
from app.gui.actions.play import PLAY
from app.gui.actions.spec import Spec
from app.gui.actions.speech import SPEECH
from app.gui.actions.study import STUDY
from app.gui.actions.transcript import TRANSCRIPT
from app.gui.actions.view import VIEW

ACTIONS: tuple[Spec, ...] = (*FILE, *EDIT, *PLAY, *VIEW, *FACES, *SPEECH, *TRANSCRIPT, *JUDGES, *CHAINS, *STUDY, *HELP)
