"""A kind of job that works piece by piece and asks while it runs; the real worker can be told to know it."""

import os
import threading
from collections.abc import Mapping
from typing import Any

from project.entities.egress_policy import Forbidden
from project.entities.study_records import Changes, Json
from project.session.jobs import JobHost, JobKind, JobSpec
from project.session.session import Session

STARTING = (
    "import sys; sys.path.insert(0, '.'); from project.session import jobs; "
    "jobs.JOB_MODULES['talk'] = 'tests.builders.talking_job'; "
    "from app.worker import run; run(stay='--stay' in sys.argv)"
)
"""What a Python process runs to be the worker, knowing this kind."""


def compute(parameters: Mapping[str, Any], holder: JobHost) -> dict[str, Json]:
    answers: list[Json] = []
    for question in parameters.get("questions", []):
        answer = holder.ask({"question": question})
        holder.part({"said": answer["answer"]})
        answers.append(answer["answer"])
    if parameters.get("threads"):
        found: dict[int, Json] = {}
        threads = [
            threading.Thread(target=lambda n=n: found.update({n: holder.ask({"question": str(n)})["answer"]}))
            for n in range(parameters["threads"])
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        answers += [found[n] for n in sorted(found)]
    return {"answers": answers, "process": os.getpid()}


def store_part(session: Session, work: JobSpec, part: Mapping[str, Json]) -> Changes:
    return Changes.from_pairs([("talk", str(part["said"]))])


def answer(session: Session, work: JobSpec, question: Mapping[str, Json]) -> dict[str, Json]:
    if question["question"] == "secret":
        raise Forbidden("nothing-leaves", "Not that.", "Ask for less.")
    return {"answer": f"{question['question']}!"}


def store(session: Session, work: JobSpec, result: Mapping[str, Json]) -> Changes:
    return Changes.from_pairs([("talk", "done")])


JOB = JobKind(
    key="talk", parameters=dict, result=dict, compute=compute, store=store, store_part=store_part, answer=answer
)
