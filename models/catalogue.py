"""The weights that Greenroom can use and does not bring along: where they come from and what they must be."""

from dataclasses import dataclass

from project.errors import UserError


@dataclass(frozen=True, slots=True)
class Weights:
    """One file of weights.

    Attributes:
        name: what it is called here.
        file: its name on disk.
        purpose: what it is for, in a few words.
        source: https address that it is fetched from.
        licence: SPDX identifier.
        size: in bytes.
        sha256: of its content, in hexadecimal.
    """

    name: str
    file: str
    purpose: str
    source: str
    licence: str
    size: int
    sha256: str


WEIGHTS = {
    each.name: each
    for each in (
        Weights(
            name="yunet",
            file="yunet_n_dynamic.onnx",
            purpose="a second face detector, used together with CenterFace",
            source="https://raw.githubusercontent.com/ShiqiYu/libfacedetection.train/"
            "02246e79b1e976c83d1e135a85e0628120c93769/onnx/yunet_n_dynamic.onnx",
            licence="Apache-2.0",
            size=322_906,
            sha256="104ee26c71d5c270ce79a6b3dced91c91013260d29a6bf18f9296c5b8c4c2b12",
        ),
    )
}


def entry(name: str) -> Weights:
    """Return an entry of the catalogue.

    Raises:
        UserError: there is none of that name.
    """
    if name not in WEIGHTS:
        raise UserError(f"There are no weights “{name}”.", f"Choose one of: {', '.join(WEIGHTS)}.")
    return WEIGHTS[name]
