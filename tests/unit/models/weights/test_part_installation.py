"""An optional part is installed by a program of its own: the index is asked for before, and failures say what to do."""

import os
import shlex
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from anonymize.egress import weights_download_job
from anonymize.egress.policy_edits import set_policy
from models.connection.machine_policy import read_journal
from models.weights import part_installation
from models.weights.fetching import INDEX_VARIABLE
from models.weights.part_installation import install_command, install_part
from project.entities.egress_policy import Forbidden, Policy, Purpose
from project.errors import Cancelled, UserError
from project.progress import Silent
from project.queries.policy_rows import all_egress
from project.session.jobs import JobSpec, run_inline
from project.session.optional_parts import GPU, NAMES
from project.session.session import Session
from project.version import __version__

RECORDS = """
import os, sys
from pathlib import Path
said = [*sys.argv[1:], os.environ["UV_DEFAULT_INDEX"], os.environ.get("SSL_CERT_FILE", "")]
Path({place!r}).write_text("\\n".join(said))
"""
Fake = Callable[[str], None]


@pytest.fixture(autouse=True)
def online(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("PIP_CERT", "SSL_CERT_FILE"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv(INDEX_VARIABLE, "https://index.invalid/simple")


@pytest.fixture
def installer(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Fake:
    """Runs some code in the place of the installer, with the arguments that it would get."""

    def put(code: str) -> None:
        script = tmp_path / "installer.py"
        script.write_text(code)
        monkeypatch.setattr(
            part_installation, "install_command", lambda part: [sys.executable, str(script), *install_command(part)[1:]]
        )

    return put


def test_the_command_is_that_of_this_environment_with_the_versions_of_the_release(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(part_installation, "find_spec", lambda name: None)
    monkeypatch.setattr("shutil.which", lambda name: None)
    pip = install_command(NAMES)
    assert pip[:4] == [sys.executable, "-m", "pip", "install"]
    pins = Path(pip[pip.index("--constraint") + 1])
    assert pins.name == f"{__version__}.txt"
    assert pip[-2:] == ["presidio-analyzer", "spacy"]
    assert all(f"\n{name}==" in pins.read_text("utf-8") for name in pip[-2:])
    assert "onnxruntime-gpu[cuda,cudnn]" in install_command(GPU)
    monkeypatch.setattr("shutil.which", lambda name: f"/usr/bin/{name}")
    assert install_command(NAMES)[:5] == ["/usr/bin/uv", "pip", "install", "--python", sys.executable]


def test_it_is_run_with_the_index_and_the_certificates_of_pip(
    installer: Fake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installer(RECORDS.format(place=str(tmp_path / "run")))
    monkeypatch.setenv("PIP_CERT", "/lab/certificates.pem")
    assert install_part(NAMES, Silent()) == part_installation.packages_folder()
    assert (tmp_path / "run").read_text().splitlines() == [
        *install_command(NAMES)[1:],
        "https://index.invalid/simple",
        "/lab/certificates.pem",
    ]
    (line,) = read_journal()
    assert (line.request.purpose, line.request.host, line.permission) == (
        Purpose.DOWNLOAD,
        "index.invalid",
        "downloads allowed",
    )


def test_why_the_installer_failed_is_said_with_the_line_to_run_by_hand(installer: Fake) -> None:
    installer(
        "import sys\nprint('Collecting presidio-analyzer')\n"
        "print('ERROR: No space left on device')\nprint('[notice] something else')\nsys.exit(1)"
    )
    with pytest.raises(UserError, match="was not installed: ERROR: No space left on device") as raised:
        install_part(NAMES, Silent())
    assert raised.value.hint == f"By hand: {shlex.join(part_installation.install_command(NAMES))}"


def test_an_installer_that_is_stopped_is_gone(installer: Fake, tmp_path: Path) -> None:
    installer(
        f"import os, time\nfrom pathlib import Path\nPath({str(tmp_path / 'pid')!r}).write_text(str(os.getpid()))\n"
        "time.sleep(600)"
    )

    class StopsOnceItRuns(Silent):
        def check_cancelled(self) -> None:
            if (tmp_path / "pid").exists() and (tmp_path / "pid").read_text():
                raise Cancelled

    with pytest.raises(Cancelled):
        install_part(NAMES, StopsOnceItRuns())
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)


@pytest.mark.parametrize("why", ["offline", "gone"])
def test_where_nothing_can_be_installed_the_line_to_run_by_hand_is_said(
    why: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    if why == "offline":
        monkeypatch.setenv("GREENROOM_OFFLINE", "1")
    else:
        monkeypatch.setattr(part_installation, "install_command", lambda part: [str(tmp_path / "no-such-program")])
    with pytest.raises(UserError) as raised:
        install_part(NAMES, Silent())
    assert f"By hand: {shlex.join(part_installation.install_command(NAMES))}" in raised.value.hint
    assert (why == "gone") == bool(read_journal()), "the index is asked for when it is about to be asked"


def test_the_job_that_fetches_weights_installs_it_where_the_policy_of_the_study_allows_downloads(
    session: Session, installer: Fake, tmp_path: Path
) -> None:
    installer(RECORDS.format(place=str(tmp_path / "run")))
    work = weights_download_job.prepare("names")
    assert work == JobSpec("fetch", "Get names", "", weights_download_job.InstallationParameters("names"))
    assert weights_download_job.JOB.network
    assert "Download names (235.0 MB, MIT" in weights_download_job.download_question("names")
    refused = weights_download_job.download_refusal(session, "names")
    assert refused is not None
    assert refused.rule == "downloads"
    with pytest.raises(Forbidden):
        run_inline(session, work, Silent())
    assert not (tmp_path / "run").exists()
    set_policy(session, Policy(downloads=True))
    assert weights_download_job.download_refusal(session, "names") is None
    assert run_inline(session, work, Silent())[0].name == "names"
    assert (tmp_path / "run").exists()
    assert [(line.request.host, line.rule) for line in all_egress(session.study)] == [
        ("index.invalid", "downloads"),
        ("index.invalid", ""),
    ]
    assert read_journal() == []


def test_an_index_on_this_machine_needs_no_permission(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    for address in ("http://localhost:1/simple", "file:///srv/packages/simple"):
        monkeypatch.setenv(INDEX_VARIABLE, address)
        assert weights_download_job.download_refusal(session, "names") is None
