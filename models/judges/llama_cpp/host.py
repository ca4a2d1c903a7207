"""The process that holds a model: it answers what comes through a pipe, and ends when the other end is gone."""

import os
import queue
import signal
import threading
from multiprocessing.connection import Connection

from models.connection import sentinel
from models.judges.llama_cpp.stopping import StopFlag
from models.judges.llama_cpp.talk import Ask, Begun, Failed, Loading, Ready, Stop


def serve(pipe: "Connection[object, object]", log: "Connection[object, object]", loading: Loading) -> None:
    """Load a model, say `Ready` or `Failed`, then answer one `Ask` after the other, each after a `Begun`.

    A `Stop` may come at any time.

    It is what a new process runs. It prints to `log` alone.
    """
    sentinel.install()
    for stream in (1, 2):
        os.dup2(log.fileno(), stream)
    log.close()
    # Whoever asked ends it; Ctrl+C in a terminal reaches every process.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # llama.cpp would start a debugger when it crashes.
    os.environ["GGML_NO_BACKTRACE"] = "1"
    asked: queue.SimpleQueue[Ask] = queue.SimpleQueue()
    flag = StopFlag()
    threading.Thread(target=_listen, args=(pipe, asked, flag), daemon=True).start()
    from models.judges.llama_cpp.model import Model, NotLoaded

    try:
        model = Model(loading, flag)
    except NotLoaded as error:
        pipe.send(Failed(str(error)))
        # Without the library's own tidying up, which stumbles over what was not loaded.
        os._exit(0)
    pipe.send(Ready())
    while True:
        ask = asked.get()
        flag.begin(ask.number)
        pipe.send(Begun())
        pipe.send(model.answer(ask))


def _listen(pipe: "Connection[object, object]", asked: "queue.SimpleQueue[Ask]", flag: StopFlag) -> None:
    try:
        while True:
            said = pipe.recv()
            if isinstance(said, Stop):
                flag.stop(said.number)
            elif isinstance(said, Ask):
                asked.put(said)
    except (EOFError, OSError):
        # Whatever is being computed, nobody waits for it any more.
        os._exit(0)
