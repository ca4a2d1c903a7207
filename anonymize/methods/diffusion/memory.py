"""How much of a GPU is used, and what is done when it does not suffice."""

import gc

import torch


def bound(gigabytes: float) -> None:
    """Let this process use no more of the GPU; asking for more fails as if it had no more."""
    if torch.cuda.is_available():
        total = torch.cuda.get_device_properties(0).total_memory
        torch.cuda.set_per_process_memory_fraction(min(1.0, gigabytes * 1e9 / total))


def release() -> None:
    """Give back what is no longer used."""
    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()


def exhausted(error: Exception) -> bool:
    """Tell whether an error says that memory ran out, of a GPU or of the machine."""
    return isinstance(error, torch.OutOfMemoryError | MemoryError) or "can't allocate memory" in str(error)
