"""200 text-only items put to a local server that answers after 50 ms, against the same requests by a bare client.

Ours is the whole run: prompts are filled, each request is cleared, permitted and written down before it is sent,
answers are read by their form, and judgments are in the study. The bare client, asyncio on httpx2, sends the very same
bodies over as many connections and does nothing with the answers. Both are warm: libraries are loaded.
"""

import asyncio
import json
import statistics
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmark.judging.ask_job import prepare
from benchmark.judging.ask_run import AskRequest
from benchmark.judging.judge_registry import add_judge
from project.progress import Silent
from project.session.jobs import run_inline
from project.session.session import Session
from project.store.study import Study
from project.synthetic.synthetic_segments import fill_study
from tools.bench.row import Row
from tools.bench.stub_server import stub_server

ITEMS, AT_ONCE, REPETITIONS = 200, 8, 5


def run() -> list[Row]:
    """Measure; ours and the bare client take turns."""
    with TemporaryDirectory() as folder, stub_server() as url:
        study = Path(folder) / "judging.greenroom"
        Study.create(study).close()
        with Session.open(study, "Ada") as session:
            fill_study(session.study, recordings=4, segments=ITEMS, annotators=2, seed=0)
            settings = {"url": f"{url}/v1", "sees": "text", "concurrency": AT_ONCE}
            judge, _ = add_judge(session, "stub", "openai", "stub-1", settings)
            ids = [row[0] for row in session.study.rows("SELECT id FROM segment")]
            ours, bare, raw, planning = [], [], [], []
            for number in range(REPETITIONS + 1):
                began = time.perf_counter()
                work = prepare(session, AskRequest([judge], ids, "verdict", seed=number)).job
                planned = time.perf_counter()
                assert work is not None
                result, _ = run_inline(session, work, Silent())
                ended = time.perf_counter()
                assert result.answered == ITEMS, result
                bodies = asyncio.run(_bodies(url))[-ITEMS:]
                took = asyncio.run(_bare(url, bodies)), asyncio.run(_raw(url, bodies))
                if number:
                    ours.append(ended - planned)
                    planning.append(planned - began)
                    bare.append(took[0])
                    raw.append(took[1])
            (kept,) = session.study.row("SELECT count(*) FROM judgment") or (0,)
            (written,) = session.study.row("SELECT count(*) FROM egress") or (0,)
            assert kept == ITEMS * (REPETITIONS + 1) <= written
    own, client, streams, plan = map(statistics.median, (ours, bare, raw, planning))
    what = f"{ITEMS} text-only items, {AT_ONCE} at once, 50 ms answers"
    return [
        Row.judged(
            f"{what}, journal of requests and judgments included",
            f"{own:.2f} s",
            own / client,
            "<= 1.3x",
            f"the same requests by a bare asyncio client (httpx2) {client:.2f} s",
            f"{own / client:.2f}x",
        ),
        Row(what, f"{own:.2f} s", f"the same bytes over raw asyncio streams {streams:.2f} s", f"{own / streams:.2f}x"),
        Row(f"Plan {ITEMS} text-only items and look them up", f"{plan:.2f} s"),
    ]


async def _bodies(url: str) -> list[str]:
    import httpx2

    async with httpx2.AsyncClient(trust_env=False) as client:
        found: list[str] = (await client.get(f"{url}/asked")).json()
        return found


async def _bare(url: str, bodies: list[str]) -> float:
    import httpx2

    left = iter(bodies)
    headers = {"Content-Type": "application/json", "Authorization": "Bearer none"}
    began = time.perf_counter()
    async with httpx2.AsyncClient(trust_env=False) as client:

        async def one() -> None:
            for body in left:
                answer = await client.post(f"{url}/v1/chat/completions", content=body, headers=headers)
                assert answer.status_code == 200

        await asyncio.gather(*(one() for _ in range(AT_ONCE)))
    return time.perf_counter() - began


async def _raw(url: str, bodies: list[str]) -> float:
    left = iter(bodies)
    port = int(url.rpartition(":")[2])
    began = time.perf_counter()

    async def one() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for text in left:
            body = text.encode()
            writer.write(b"POST /v1/chat/completions HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
            head = await reader.readuntil(b"\r\n\r\n")
            json.loads(await reader.readexactly(int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0])))
        writer.close()

    await asyncio.gather(*(one() for _ in range(AT_ONCE)))
    return time.perf_counter() - began
