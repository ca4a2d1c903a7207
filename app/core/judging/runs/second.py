"""The judge that brings another one's answers into form: what it is sent stands in the journal under its own name."""

from dataclasses import replace

from models.connection.parcel import carrying, current
from models.judges.base import Judge, Question, Reply


class Second:
    """A judge that is asked in the course of another one's question.

    Args:
        judge: what is asked.
        judge_id: of its entry.
    """

    def __init__(self, judge: Judge, judge_id: str) -> None:
        self._judge, self._id = judge, judge_id

    @property
    def fingerprint(self) -> str:
        """That of the judge."""
        return self._judge.fingerprint

    async def ask(self, question: Question) -> Reply:
        """Ask the judge, about what the first one is asked.

        Raises:
            project.policy.Forbidden: the policy does not let the request leave this machine.
        """
        parcel = current()
        if parcel is None:
            return await self._judge.ask(question)
        with carrying(replace(parcel, judge_id=self._id)):
            return await self._judge.ask(question)

    async def close(self) -> None:
        """Close the judge."""
        await self._judge.close()
