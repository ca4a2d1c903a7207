"""The method as the renderer uses it, with tiny networks installed as a lab would install them."""

import socket
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.torch import load_file, save_file

from anonymize.masking.masks import MaskSet
from anonymize.methods.diffusion import diffusion_options as presets
from anonymize.methods.diffusion import diffusion_setup as loading
from anonymize.methods.diffusion.diffusion_face import Diffusion
from anonymize.methods.diffusion.diffusion_options import DiffusionOptions
from anonymize.methods.solid import Solid
from anonymize.rendering.compositing import hide_faces
from anonymize.rendering.face_renderer import RenderPlan, render
from media.frame_index import load_index
from models.weights import installed_weights as weights
from models.weights.adding import add_weights
from project.errors import Cancelled, UserError
from project.progress import Silent
from tests.builders import tiny_diffusion as tiny
from tests.builders.diffusion_sources import Source, moving
from tests.builders.face_clips import make_clip, planes_of
from tests.builders.face_tracks import track

OPTIONS = DiffusionOptions(size=64, batch=4)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A model and a ControlNet as diffusers saves them."""
    return tiny.folders(tmp_path_factory.mktemp("networks"))


@pytest.fixture
def lab(folders: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine without a network, on which both were added."""
    monkeypatch.setenv(weights.FOLDER_VARIABLE, str(tmp_path / "models"))
    for name, folder in zip((loading.MODEL, loading.CONTROLNET), folders, strict=True):
        add_weights(name, folder, "ours")

    def refuse(*_: Any, **__: Any) -> None:
        pytest.fail("something calls out")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setitem(presets.PRESETS, "balanced", replace(presets.PRESETS["balanced"], steps=3, iterations=1))
    return tmp_path / "models"


def test_a_clip_is_rendered_and_nothing_outside_the_masks_is_touched(lab: Path, tmp_path: Path) -> None:
    clip = make_clip(tmp_path / "clip.mp4", range(0, 400, 40), (160, 120), block=4)
    times = load_index(clip).times.times_us
    face = track([(40 + i, 40, 40, 48) for i in range(len(times))], times_us=list(times))
    plan = RenderPlan(clip, tmp_path / "out.mp4", [face], len(times), Diffusion(OPTIONS))
    done = render(plan)
    assert done.frames == len(times)
    assert done.undrawn_us == ()
    masks = MaskSet([face])
    solid = [tuple(plane.copy() for plane in planes) for planes in planes_of(clip)]
    for frame, (before, after) in enumerate(zip(planes_of(clip), planes_of(done.output), strict=True)):
        alpha = masks.draw_alpha(frame, 160, 120)
        hide_faces(solid[frame], masks.masks_at(frame), Solid())
        assert np.abs(before[0].astype(int) - after[0])[alpha == 0].mean() < 10
        assert np.abs(before[0].astype(int) - after[0])[alpha == 255].mean() > 30
        assert np.abs(solid[frame][0].astype(int) - after[0])[alpha == 255].mean() > 5  # it was drawn, not painted over


def test_compositing_changes_no_sample_outside_the_mask(lab: Path) -> None:
    from anonymize.masking.masks import Area
    from anonymize.rendering.compositing import paste_patch as put

    source = Source([moving(4)])
    method = Diffusion(OPTIONS)
    method.begin(source, Silent())
    for face in source.faces("track"):
        drawn = method.draw(face)
        luma = face.image[..., 0].copy()
        put([luma], Area(face.x, face.y, face.alpha), [drawn[..., 0]])
        hidden = np.zeros(luma.shape, np.uint8)
        x, y, width, height = face.rect
        hidden[y : y + height, x : x + width] = face.alpha
        assert (luma == face.image[..., 0])[hidden == 0].all()
        part = luma[y : y + height, x : x + width]
        assert (part == drawn[..., 0])[face.alpha == 255].all()
    method.end()


def test_it_can_be_used_again_and_forgets_what_it_had(lab: Path) -> None:
    source = Source([moving(3)])
    method = Diffusion(OPTIONS)
    face = next(source.faces("track"))
    assert method.draw(face) is None
    results = []
    for _ in range(2):
        method.begin(source, Silent())
        results.append(method.draw(face))
        method.end()
        assert method.draw(face) is None
    assert (results[0] == results[1]).all()


def test_a_cancelled_beginning_leaves_nothing_behind(
    lab: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    class Stopped(Silent):
        def check_cancelled(self) -> None:
            raise Cancelled

    method = Diffusion(OPTIONS)
    with pytest.raises(Cancelled):
        method.begin(Source([moving(3)]), Stopped())
    method.end()
    assert not list(tmp_path.glob("greenroom-*"))


def test_without_weights_it_says_how_to_get_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(weights.FOLDER_VARIABLE, str(tmp_path))
    with pytest.raises(UserError, match="“stable-diffusion” are not installed"):
        Diffusion().begin(Source([moving(3)]), Silent())


def test_landmarks_without_their_model_are_refused_before_anything_is_loaded(
    lab: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loading, "load_pipeline", lambda *_: pytest.fail("loaded"))
    with pytest.raises(UserError, match="“face-landmarks” are not installed"):
        Diffusion(DiffusionOptions(control="landmarks")).begin(Source([moving(3)]), Silent())


def test_without_packages_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "diffusers", None)
    with pytest.raises(UserError, match="“diffusion”, which is not installed"):
        Diffusion().begin(Source([moving(3)]), Silent())


def copied(folder: Path, target: Path) -> Path:
    for file in folder.rglob("*"):
        if file.is_file():
            (target / file.relative_to(folder)).parent.mkdir(parents=True, exist_ok=True)
            (target / file.relative_to(folder)).write_bytes(file.read_bytes())
    return target


def cut_short(model: Path) -> None:
    file = model / "unet" / "diffusion_pytorch_model.safetensors"
    file.write_bytes(file.read_bytes()[:1000])


def inpainting(model: Path) -> None:
    config = model / "unet" / "config.json"
    config.write_text(config.read_text("utf-8").replace('"in_channels": 4', '"in_channels": 9'), "utf-8")
    file = model / "unet" / "diffusion_pytorch_model.safetensors"
    content = load_file(file)
    content["conv_in.weight"] = content["conv_in.weight"].repeat(1, 3, 1, 1)[:, :9].contiguous()
    save_file(content, file, {"format": "pt"})


def pickled(model: Path) -> None:
    file = model / "unet" / "diffusion_pytorch_model.safetensors"
    file.rename(file.with_suffix(".bin"))


def emptied(model: Path) -> None:
    (model / "model_index.json").write_text("{}", "utf-8")


@pytest.mark.parametrize("harm", [cut_short, inpainting, pickled, emptied])
def test_other_networks_are_refused_in_one_line(
    folders: tuple[Path, Path], tmp_path: Path, harm: Callable[[Path], None]
) -> None:
    model = copied(folders[0], tmp_path / "model")
    harm(model)
    with pytest.raises(UserError, match=r"The weights “stable-diffusion” (cannot be|are of another)") as said:
        loading.load_pipeline(model, folders[1], presets.PRESETS["fast"])
    assert "\n" not in said.value.message


def test_a_controlnet_of_another_family_is_refused(folders: tuple[Path, Path], tmp_path: Path) -> None:
    other = copied(folders[1], tmp_path / "controlnet")
    content = load_file(other / "diffusion_pytorch_model.safetensors")
    for name, tensor in content.items():
        if "attn2.to_k" in name or "attn2.to_v" in name:
            content[name] = tensor.repeat(1, 2)
    save_file(content, other / "diffusion_pytorch_model.safetensors", {"format": "pt"})
    config = (other / "config.json").read_text("utf-8")
    changed = config.replace('"cross_attention_dim": 16', '"cross_attention_dim": 32')
    (other / "config.json").write_text(changed, "utf-8")
    with pytest.raises(UserError, match="do not belong to"):
        loading.load_pipeline(folders[0], other, presets.PRESETS["fast"])
