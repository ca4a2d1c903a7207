"""The wheel's layout: every root lies in the private folder, whatever else is on the path."""

import json
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
WHEEL = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"]["targets"]["wheel"]

_WHERE = """
import importlib, json, sys
import greenroom
sys.argv[1:] = ["--version"]
code = greenroom.main()
print(json.dumps([code, {root: importlib.import_module(root).__file__ for root in ROOTS}]))
"""


def roots() -> list[str]:
    return sorted({path.parent.name for path in ROOT.glob("*/__init__.py")} - {"tests", "tools"})


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A `site-packages` as the wheel's table in pyproject.toml lays it out."""
    site = tmp_path_factory.mktemp("site-packages")
    for name in WHEEL["only-include"]:
        target = site / WHEEL["sources"].get(name, name)
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, target, ignore=shutil.ignore_patterns("__pycache__", "*.mp4"))
        else:
            shutil.copy(ROOT / name, target)
    return site


def test_every_root_is_in_the_wheel_and_only_the_launcher_is_public(installed: Path) -> None:
    assert sorted(WHEEL["sources"]) == roots()
    assert sorted(path.name for path in installed.iterdir()) == ["_greenroom", "greenroom.py"]
    assert sorted(path.name for path in (installed / "_greenroom").iterdir()) == roots()


def test_only_folders_are_moved_by_their_names() -> None:
    """Hatch leaves a single file where it is, whatever `sources` says: such files are forced in."""
    assert {*WHEEL["sources"]} == {*WHEEL["only-include"]} - {"greenroom.py"}
    assert [name for name in WHEEL["sources"] if not (ROOT / name).is_dir()] == []


@pytest.mark.parametrize("others", ["before", "after"])
def test_every_root_resolves_inside_although_others_have_the_same_names(
    installed: Path, tmp_path: Path, others: str
) -> None:
    for root in roots():
        (tmp_path / root).mkdir()
        (tmp_path / root / "__init__.py").write_text("raise ImportError('of another author')")
    path = [str(tmp_path), str(installed)] if others == "before" else [str(installed), str(tmp_path)]
    code = f"import sys; sys.path[:0] = {path!r}; ROOTS = {roots()!r}\n{_WHERE}"
    # Isolated, and without this checkout, which is installed for development.
    code = f"import sys; sys.path = [p for p in sys.path if p != {str(ROOT)!r}]\n{code}"
    done = subprocess.run([sys.executable, "-I", "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    ended, found = json.loads(done.stdout.splitlines()[-1])
    assert ended == 0
    for root, file in found.items():
        assert Path(file).parent == installed / "_greenroom" / root


def test_what_the_program_reads_at_run_time_is_found_there(installed: Path) -> None:
    code = (
        f"import sys; sys.path.insert(0, {str(installed)!r}); import greenroom; "
        "sys.path.insert(0, str(greenroom.ROOT)); from resources import resource; "
        "print(resource('schemes', 'shrec.toml'), resource('style', 'style.qss'), sep='\\n')"
    )
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    assert all(str(installed) in part for part in done.stdout.splitlines())


def test_a_worker_of_dask_finds_the_program(installed: Path) -> None:
    code = (
        f"import sys; sys.path = [p for p in sys.path if p != {str(ROOT)!r}]; sys.path.insert(0, {str(installed)!r})\n"
        "from types import SimpleNamespace\n"
        "import greenroom\n"
        "worker = SimpleNamespace(nanny=None)\n"
        "greenroom.dask_setup(worker)\n"
        "import benchmark.cluster.worker_proxy as relay\n"
        "greenroom.dask_teardown(worker)\n"
        "print(relay._prepared is not None, relay.__file__, 'distributed' in sys.modules, sep='\\n')"
    )
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    prepared, place, loaded = done.stdout.splitlines()
    assert prepared == "True"
    assert Path(place).is_relative_to(installed / "_greenroom")
    assert loaded == "False"


def test_a_crash_writes_no_memory_to_the_disk() -> None:
    code = (
        "import resource, subprocess, sys, greenroom\n"
        "sys.argv[1:] = ['--version']\n"
        "greenroom.main()\n"
        "print(resource.getrlimit(resource.RLIMIT_CORE)[0])\n"
        "sys.stdout.flush()\n"
        "subprocess.run(['sh', '-c', 'ulimit -S -c'], check=True)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split()[-2:] == ["0", "0"]
