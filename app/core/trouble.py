"""What a machine's troubles in the middle of a job mean to a user: no memory left, a graphics card that is gone."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from project.errors import Cancelled, UserError

_NO_MEMORY = re.compile(r"out of memory|bad_alloc|failed to allocate|cannot allocate memory", re.IGNORECASE)
_GRAPHICS_CARD = re.compile(r"\b(CUDA|CUDNN|CUBLAS|NVML|nvidia)", re.IGNORECASE)


@contextmanager
def machine_explained() -> Iterator[None]:
    """Turn a failure of the machine inside the block into a message; what is no such failure passes as it is.

    Libraries have no exceptions of their own for these, so what they say is looked at.

    Raises:
        UserError: there is not enough memory, or the graphics card does not answer.
    """
    try:
        yield
    except (UserError, Cancelled):
        raise
    except Exception as error:
        said = str(error)
        if isinstance(error, MemoryError) or _NO_MEMORY.search(said):
            where = "on the graphics card" if _GRAPHICS_CARD.search(said) else "in this computer"
            raise UserError(
                f"There is not enough memory {where} for this.",
                "Close other programs and start it again; what was finished is kept.",
            ) from error
        if _GRAPHICS_CARD.search(said):
            raise UserError(
                "The graphics card stopped answering.",
                "Start it again; if it happens again, restart the computer or choose the processor “cpu”.",
            ) from error
        raise
