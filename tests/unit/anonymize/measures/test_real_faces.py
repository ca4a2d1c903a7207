"""Re-identification of real people by a real embedding, where the developers' footage is."""

from pathlib import Path

import pytest

from anonymize.methods.blur import Blur
from anonymize.methods.pixelate import Pixelate
from anonymize.methods.solid import Solid
from models.faces.face_detectors import create_detector
from models.faces.identity.face_embeddings import create_face_embedder
from models.weights import installed_weights as weights
from tools.bench.privacy_stills import embed, hidden, rates, stills

GENUINE = 80


def test_eight_people_are_known_again_in_sharp_pictures_and_not_in_hidden_ones(
    shared_data: Path, shared_models: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(weights.FOLDER_VARIABLE, str(shared_models))
    model = create_face_embedder("mobilefacenet")
    found = stills(shared_data / "stills" / "bbt", create_detector("yunet"))
    raw = embed(found, [still.image for still in found], model)
    clear = rates(found, raw, raw)
    assert clear.pairs == GENUINE
    assert clear.naive > 0.95
    for method in (Solid(), Blur(), Pixelate()):
        got = rates(found, raw, embed(found, [hidden(still, method) for still in found], model))
        assert got.naive <= 0.02, method.name
        assert 0.3 < got.parrot_error < 0.7, method.name
