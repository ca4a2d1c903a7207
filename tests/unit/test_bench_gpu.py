"""The bench of the GPU runs from end to end with tiny networks, and says so where there is no GPU."""

from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

from anonymize.methods.diffusion.diffusion_options import PRESETS  # noqa: E402
from tools.bench import gpu, gpu_table, gpu_tracking  # noqa: E402
from tools.bench.row import Row  # noqa: E402


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    made = tmp_path / "benchmarks.md"
    made.write_text("# Benchmarks\n\nother rows\n", "utf-8")
    monkeypatch.setattr(gpu, "PAGE", made)
    monkeypatch.setattr(gpu_table, "MEASURED", tmp_path / "measured.json")
    return made


def test_without_a_gpu_it_says_so_in_one_line_and_writes_nothing(
    page: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert gpu.main([]) == 0
    assert capsys.readouterr().out.count("\n") == 1
    assert page.read_text("utf-8") == "# Benchmarks\n\nother rows\n"
    assert not gpu_table.MEASURED.exists()


@pytest.mark.soak
def test_with_tiny_networks_it_runs_on_a_cpu(
    page: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(gpu_tracking, "_seconds", lambda: (2.0, 100))
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    gpu.main(["--size", "tiny"])
    torch.set_num_threads(threads)
    said = capsys.readouterr().out
    for name in PRESETS:
        assert f"`{name}`" in said
    assert "50 frames/s" in said
    assert page.read_text("utf-8") == "# Benchmarks\n\nother rows\n"


def test_rows_replace_those_of_the_last_run_and_leave_the_rest(page: Path) -> None:
    assert "Not measured yet" in gpu_table.section()
    for figure in ("1 s", "2 s"):
        gpu_table.write([Row("draw", figure, "", "", "", True)], "A card.", page)
    text = page.read_text("utf-8")
    assert text.startswith("# Benchmarks\n\nother rows\n")
    assert text.count(gpu_table.HEADING) == 1
    assert "| 2 s |" in text
    assert "| 1 s |" not in text
    assert text.endswith(gpu_table.section())
