"""Gives works to the workers of a cluster, answers what they ask, and stores what comes of them.

One event loop in the thread of the study: nobody else writes to it.
"""

import asyncio
import json
import platform
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from app.core.cluster.carrying import unpacked
from app.core.cluster.handing import permit_work, request_of
from app.core.cluster.piece import TRIES, Piece
from app.core.cluster.relay import work as task
from app.core.jobs import answer, kind_of, store_part
from app.core.session import Session
from models.connection.cluster import Cluster, Gone, Scheduler, Seat, WorkerSilent
from project.counted import counted
from project.errors import UserError
from project.ids import new_id
from project.policy import Forbidden
from project.progress import Progress
from project.types import Json
from project.version import __version__

_STEPS = 1000
_LOOK_EVERY_S = 0.1
_SEATS_EVERY_S = 1.0
_WAIT_S = 0.5
_AFTER_END_S = 5.0
_STOPPING_S = 3.0
_NOT_THERE = 4


class Serving:
    """One run of works on a cluster."""

    def __init__(
        self,
        session: Session,
        scheduler: Scheduler,
        cluster: Cluster,
        addresses: tuple[str, ...],
        pieces: Sequence[Piece],
        progress: Progress,
        ended: Callable[[Piece], None],
    ) -> None:
        self._session, self._scheduler, self._addresses, self._cluster = session, scheduler, addresses, cluster
        self._pieces, self._progress, self._ended = pieces, progress, ended
        self._run = new_id()
        self._futures: dict[int, Any] = {}
        self._finished: dict[int, float] = {}
        self._asked: dict[str, asyncio.Task[None]] = {}
        self._telling: dict[str, list[Json]] = {}
        self._told: dict[str, int] = {}
        self._seen: dict[str, int] = {}
        self._relays: dict[str, str] = {}
        self._seat_of: dict[str, str] = {}
        self._seen_at = 0.0
        self._ending = False

    async def go(self) -> None:
        """Return when all is done, or cannot be.

        Raises:
            Gone: the scheduler does not answer any more.
            UserError: a worker cannot be used.
            Cancelled: the user stopped it; what was answered until then is stored.
        """
        try:
            while not self._over():
                self._progress.check_cancelled()
                self._give_out()
                await self._look()
                self._tell_progress()
                await asyncio.sleep(_LOOK_EVERY_S)
        except BaseException:
            await asyncio.shield(self._stop())
            raise
        finally:
            self._ending = True
            for one in self._asked.values():
                one.cancel()
            await asyncio.gather(*self._asked.values(), return_exceptions=True)
        self._tell_progress()

    def _over(self) -> bool:
        return all(one.over for one in self._pieces)

    def _give_out(self) -> None:
        """Give out what was not yet, but for what asks a judge that another work is asking."""
        asked = {judge for number in self._futures if not (one := self._pieces[number]).over for judge in one.asks}
        for number, piece in enumerate(self._pieces):
            if number not in self._futures and not piece.over and not asked & piece.asks:
                asked |= piece.asks
                self._give(number)

    def _give(self, number: int) -> None:
        key = f"greenroom-{self._run}-{number}-{new_id()}"
        self._futures[number] = self._cluster.give(task, self._run, number, key, key=key)
        self._finished.pop(number, None)

    async def _look(self) -> None:
        """Look who is there, and which works were given up by their workers."""
        if not self._cluster.alive:
            raise Gone
        now = time.monotonic()
        if now - self._seen_at > _SEATS_EVERY_S:
            self._seen_at = now
            for seat in await self._cluster.seats():
                if seat.address not in self._asked:
                    self._asked[seat.address] = asyncio.create_task(self._hear(seat))
        for address, one in [*self._asked.items()]:
            if one.done():
                del self._asked[address]
                one.result()
        for number, piece in enumerate(self._pieces):
            if number in self._futures and not piece.over:
                self._look_at(number, piece, now)

    def _look_at(self, number: int, piece: Piece, now: float) -> None:
        status = self._futures[number].status
        if status == "pending":
            return
        # What its worker said last may still be on its way.
        if not piece.crashed and now - self._finished.setdefault(number, now) < _AFTER_END_S:
            return
        if status == "error" or piece.tries >= TRIES:
            piece.error = piece.lost()
            self._ended(piece)
        else:
            self._give(number)

    async def _hear(self, seat: Seat) -> None:
        """Ask one worker again and again what it has to say; ends when it is gone."""
        missing = 0
        while True:
            try:
                said = await self._cluster.exchange(seat.address, run="", seen=0, told="", wait_s=0)
                if said is not None:
                    break
                missing += 1
            except WorkerSilent:
                pass
            if all(one.address != seat.address for one in await self._cluster.seats()):
                return
            if missing >= _NOT_THERE:
                raise UserError(
                    f"The worker on {seat.host} is not prepared for Greenroom.",
                    f"Start it so: dask worker --preload greenroom {self._scheduler}",
                )
            await asyncio.sleep(_WAIT_S)
        facts = json.loads(said)
        _require_same(facts)
        if self._relays.get(seat.address) != facts["relay"]:
            # Another process in the place of one that is gone counts from the beginning.
            self._relays[seat.address] = facts["relay"]
            self._seen[seat.address] = self._told[seat.address] = 0
            self._telling[seat.address] = []
        while not self._ending:
            telling = [*self._telling[seat.address]]
            try:
                said = await self._cluster.exchange(
                    seat.address, run=self._run, seen=self._seen[seat.address], told=json.dumps(telling), wait_s=_WAIT_S
                )
            except WorkerSilent:
                said = None
            if said is None:
                missing += 1
                if missing >= _NOT_THERE or all(one.address != seat.address for one in await self._cluster.seats()):
                    return
                await asyncio.sleep(_WAIT_S)
                continue
            missing = 0
            if telling:
                self._telling[seat.address] = self._telling[seat.address][len(telling) :]
            for number, message in json.loads(said)["said"]:
                if number > self._seen[seat.address]:
                    self._seen[seat.address] = number
                    self._take(seat, message)

    def _tell(self, token: str, line: Json) -> None:
        seat = self._seat_of[token]
        self._told[seat] += 1
        self._telling[seat].append([self._told[seat], token, line])

    def _take(self, seat: Seat, message: dict[str, Any]) -> None:
        token = message["token"]
        if "begin" in message:
            self._seat_of[token] = seat.address
            self._begin(seat, self._pieces[message["number"]], token, message["begin"])
            return
        piece = next((one for one in self._pieces if one.token == token), None)
        line = message["line"]
        if piece is None or piece.over:
            # Somebody else was asked to do it meanwhile.
            if "ask" in line:
                self._tell(token, "cancel")
            return
        self._take_line(piece, token, line)

    def _begin(self, seat: Seat, piece: Piece, token: str, facts: dict[str, Any]) -> None:
        if piece.over:
            self._tell(token, None)
            return
        _require_same(facts)
        if piece.begin(token, str(facts["host"])):
            try:
                permit_work(self._session, self._scheduler, self._addresses, seat, piece.work)
                self._tell(token, request_of(self._session, piece.work))
                return
            except UserError as error:
                piece.error = error
        self._tell(token, None)
        self._ended(piece)

    def _take_line(self, piece: Piece, token: str, line: dict[str, Any]) -> None:
        if "progress" in line:
            done, total, text = line["progress"]
            piece.share, piece.text = (min(1.0, done / total) if total else 0.0), text
        elif "part" in line or "question" in line:
            self._answer(piece, token, line)
        elif "result" in line:
            self._end(piece, line["result"], line.get("files", {}))
        elif "error" in line:
            piece.error = UserError(line["error"]["message"], line["error"]["hint"])
        elif "unreachable" in line:
            piece.error = UserError(*line["unreachable"])
        elif "cancelled" in line:
            piece.error = UserError("It was stopped.", "Run it again: it goes on where it was.")
        elif "crashed" in line:
            piece.token, piece.crashed = "", True
        if piece.over:
            self._ended(piece)

    def _answer(self, piece: Piece, token: str, line: dict[str, Any]) -> None:
        told: dict[str, Json] = {"answer": line.get("ask")}
        try:
            if "part" in line:
                piece.kept(line["part"], store_part(self._session, piece.work, line["part"]))
                told["content"] = {}
            else:
                told["content"] = answer(self._session, piece.work, line["question"])
        except UserError as error:
            rule = error.rule if isinstance(error, Forbidden) else ""
            told["error"] = {"message": error.message, "hint": error.hint, "rule": rule}
        if "ask" in line:
            self._tell(token, told)

    def _end(self, piece: Piece, result: dict[str, Json], files: dict[str, Json]) -> None:
        try:
            found = unpacked(result, files)
            piece.changes |= kind_of(piece.work.kind).store(self._session, piece.work, found)
            piece.end(found)
        except UserError as error:
            piece.error = error

    async def _stop(self) -> None:
        """Stop what is under way, and take in what was answered until then."""
        with suppress(Gone, UserError, asyncio.TimeoutError):
            for piece in self._pieces:
                if not piece.over and piece.token:
                    self._tell(piece.token, "cancel")
            until = time.monotonic() + _STOPPING_S
            while (
                self._cluster.alive
                and time.monotonic() < until
                and any(one.token and not one.over for one in self._pieces)
            ):
                await asyncio.sleep(_LOOK_EVERY_S)
            if self._cluster.alive:
                await asyncio.wait_for(self._cluster.take_back([*self._futures.values()]), _STOPPING_S)

    def _tell_progress(self) -> None:
        ended = sum(one.over for one in self._pieces)
        share = sum(1.0 if one.over else one.share for one in self._pieces) / max(1, len(self._pieces))
        at_work = sum(1 for one in self._pieces if one.token and not one.over)
        text = f"{ended} of {counted(len(self._pieces), 'part')}, {at_work} under way"
        if not self._asked and ended < len(self._pieces):
            text = f"No worker yet: dask worker --preload greenroom {self._scheduler}"
        self._progress.progress(int(share * _STEPS), _STEPS, text)


def _require_same(facts: dict[str, Any]) -> None:
    """Refuse a worker that would not do what is done here.

    Raises:
        UserError: it runs another version.
    """
    here = {"version": __version__, "python": platform.python_version()}
    there = {name: facts[name] for name in here}
    if there != here:
        raise UserError(
            f"The worker on {facts['host']} runs Greenroom {there['version']} on Python {there['python']}; here it is"
            f" Greenroom {here['version']} on Python {here['python']}.",
            "Install the same versions on every machine.",
        )
