"""The conditions under which every test has to pass, and the environment that creates each."""

import os
import platform
import shutil
import subprocess
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Literal

_ABOVE_SSE2 = ("SSE4_1", "SSE4_2", "FP16", "AVX", "AVX2", "AVX512_SKX", "AVX512_ICL")
_HWCAPS_ABOVE_SSE2 = ("AVX512F", "AVX512VL", "AVX512BW", "AVX512DQ", "AVX2", "AVX", "FMA", "FMA4", "SSE4_2", "SSE4_1")


@dataclass(frozen=True, slots=True)
class RunCondition:
    """A machine and a user.

    Attributes:
        name: its name on the command line and in the table.
        processor: the most that FFmpeg, x264 and the array libraries may use; None for all there is.
        blas: the kind of processor that OpenBLAS computes for; None for the actual one.
        threads: threads of each library; None as `make test` sets them.
        language: `LANG`.
        timezone: `TZ`.
        odd_home: whether the home folder has a space and an umlaut.
        plain_user: whether the tests run as a user without rights; otherwise as root, if root runs them.
        needs_root: whether only root can run it.
        busy_loops: how many programs beside it take a processor each.
        encoder: options for every encoder of x264, which give other bits.
    """

    name: str
    processor: Literal["sse2", "avx2"] | None = None
    blas: str | None = None
    threads: int | None = None
    language: str = "C.UTF-8"
    timezone: str = "UTC"
    odd_home: bool = False
    plain_user: bool = False
    needs_root: bool = False
    busy_loops: int = 0
    encoder: str = ""

    @property
    def described(self) -> str:
        """The condition in words, for a table."""
        parts = [f"up to {self.processor.upper()}" if self.processor else "the whole processor"]
        if self.blas:
            parts.append(f"OpenBLAS for {self.blas}")
        if self.threads:
            parts.append(f"{self.threads} thread{'s' if self.threads > 1 else ''}")
        parts += [f"`LANG={self.language}`", f"`TZ={self.timezone}`"]
        if self.odd_home:
            parts.append("a home with a space and an umlaut")
        parts.append("a plain user" if self.plain_user else "root" if self.needs_root else "")
        if self.encoder:
            parts.append(f"x264 with `{self.encoder}`")
        if self.busy_loops:
            parts.append(f"{self.busy_loops} busy loops beside it")
        return ", ".join(part for part in parts if part)


_ALL = (
    RunCondition("usual"),
    RunCondition("sse2", "sse2", "Nehalem", 1, "C", "Asia/Kathmandu", needs_root=True),
    RunCondition("avx2", "avx2", "Haswell", 2, "de_DE.UTF-8", "America/St_Johns", odd_home=True, plain_user=True),
    RunCondition("whole", None, "SkylakeX", 4, "de_DE.UTF-8", "Pacific/Apia", odd_home=True, needs_root=True),
    RunCondition(
        "other-bits", threads=1, language="C", plain_user=True, encoder="aq-mode=0:no-mbtree:me=dia:no-deblock"
    ),
)
CONDITIONS = {condition.name: condition for condition in _ALL}


def make_busy(condition: RunCondition) -> RunCondition:
    """Return the same condition with two programs beside it that take a processor each."""
    return replace(condition, name=f"{condition.name} busy", busy_loops=2)


def environment_of(condition: RunCondition, folder: Path) -> dict[str, str]:
    """Return the environment that creates a condition; the files that it needs go into the folder."""
    home = folder / ("a home/für uns" if condition.odd_home else "home")
    temporary = folder / ("a place/für kurz" if condition.odd_home else "tmp")
    for place in (home, temporary):
        place.mkdir(parents=True)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("LC_", "XDG_", "PYTEST_XDIST"))}
    kept.pop("PYTHONDONTWRITEBYTECODE", None)
    threads = str(condition.threads or 1)
    made = {
        **kept,
        "HOME": str(home),
        "TMPDIR": str(temporary),
        "LANG": condition.language,
        "TZ": condition.timezone,
        "OMP_NUM_THREADS": threads,
    }
    if condition.language.startswith("de_DE"):
        made["LOCPATH"] = str(_locale(folder / "locales", condition.language))
    if condition.threads:
        made |= {"OPENBLAS_NUM_THREADS": threads, "MKL_NUM_THREADS": threads, "TESTS_THREADS": threads}
    if condition.blas and platform.machine() == "x86_64":
        made["OPENBLAS_CORETYPE"] = condition.blas
    if condition.processor:
        made |= _limits(condition.processor)
    if condition.encoder:
        made["TESTS_X264"] = condition.encoder
    if condition.processor or condition.threads or condition.encoder:
        made["LD_PRELOAD"] = str(_compiled(folder))
    return made


def _limits(processor: Literal["sse2", "avx2"]) -> dict[str, str]:
    """Return the variables that tell each library which part of the processor it may use."""
    if processor == "sse2":
        return {
            "TESTS_CPU": "sse2",
            "OPENCV_CPU_DISABLE": ",".join(_opencv(above_avx2=False)),
            "NPY_DISABLE_CPU_FEATURES": " ".join(_numpy(above_avx2=False)),
            "GLIBC_TUNABLES": "glibc.cpu.hwcaps=" + ",".join(f"-{name}" for name in _HWCAPS_ABOVE_SSE2),
            "ATEN_CPU_CAPABILITY": "default",
            "ONEDNN_MAX_CPU_ISA": "SSE41",
            "CT2_FORCE_CPU_ISA": "GENERIC",
            "VPX_SIMD_CAPS_MASK": "0x7",
        }
    return {
        "TESTS_CPU": "avx2",
        "OPENCV_CPU_DISABLE": ",".join(_opencv(above_avx2=True)),
        "NPY_DISABLE_CPU_FEATURES": " ".join(_numpy(above_avx2=True)),
        "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX512F,-AVX512VL,-AVX512BW,-AVX512DQ",
        "ATEN_CPU_CAPABILITY": "avx2",
        "ONEDNN_MAX_CPU_ISA": "AVX2",
        "CT2_FORCE_CPU_ISA": "AVX2",
        "VPX_SIMD_CAPS_MASK": "0xff",
    }


def _numpy(*, above_avx2: bool) -> list[str]:
    """Return the features that this build of NumPy can disable; it complains about all others."""
    numpy = import_module("numpy._core._multiarray_umath")
    names = [name for name in numpy.__cpu_dispatch__ if numpy.__cpu_features__.get(name)]
    return [name for name in names if not above_avx2 or "AVX512" in name or name in ("X86_V4",)]


def _opencv(*, above_avx2: bool) -> list[str]:
    """Return the features that this build of OpenCV can disable; it complains about all others."""
    import cv2

    _, _, rest = cv2.getBuildInformation().partition("Dispatched code generation:")
    dispatched = rest.split("\n", 1)[0]
    names = [name for name in dispatched.split() if name in _ABOVE_SSE2]
    # It is told them under other names than it lists them.
    told = {"SSE4_1": "SSE4.1", "SSE4_2": "SSE4.2", "AVX512_SKX": "AVX512-SKX", "AVX512_ICL": "AVX512-ICL"}
    return [told.get(name, name) for name in names if not above_avx2 or name.startswith("AVX512")]


def _compiled(folder: Path) -> Path:
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        raise SystemExit("This needs a C compiler: apt-get install gcc")
    library = folder / "processor.so"
    source = Path(__file__).with_name("processor.c")
    command = [compiler, "-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", str(library), str(source), "-ldl"]
    subprocess.run(command, check=True)
    return library


def _locale(folder: Path, name: str) -> Path:
    folder.mkdir()
    language, _, charset = name.partition(".")
    # It ends with 1 where it has only warned.
    subprocess.run(["localedef", "-i", language, "-f", charset, str(folder / name)], check=False, capture_output=True)
    if not (folder / name / "LC_CTYPE").exists():
        raise SystemExit("This needs the descriptions of languages: apt-get install locales")
    return folder
