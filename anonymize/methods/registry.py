"""Which methods there are. A new one is a file here and a line in the table."""

from typing import Any

from anonymize.by_name import made, type_of
from anonymize.methods.base import Method
from models import weights

DEFAULT = "solid"
"""Needs nothing, and leaves nothing of a face."""

_RECOMMENDED = ("synthetic",)
"""Better for a release than the default, once what they need is installed; best first."""

METHODS = {
    "solid": "anonymize.methods.solid:Solid",
    "blur": "anonymize.methods.blur:Blur",
    "pixelate": "anonymize.methods.pixelate:Pixelate",
    "synthetic": "anonymize.methods.synthetic.method:SyntheticFace",
    "cartoon": "anonymize.methods.cartoon:Cartoon",
    "deepfake": "anonymize.methods.deepfake:Deepfake",
    "diffusion": "anonymize.methods.diffusion.method:Diffusion",
}


def method_type(name: str) -> type[Method]:
    """Return the class of a method, to read its title, description, limits and whether it is reversible.

    Raises:
        UserError: there is no such method.
    """
    found: type[Method] = type_of(METHODS, name, "anonymization method")
    return found


def missing_weights(name: str) -> list[str]:
    """Return the weights that a method needs and that are not installed, by their names in the catalogue.

    Raises:
        UserError: there is no such method.
    """
    return [needed for needed in method_type(name).needs if not weights.installed(needed)]


def recommended() -> str:
    """Return the method that is best for a release with what is installed."""
    return next((name for name in _RECOMMENDED if name in METHODS and not missing_weights(name)), DEFAULT)


def method(name: str = DEFAULT, **options: Any) -> Method:
    """Make a method ready for use.

    Raises:
        UserError: there is no such method, it has no such option, or a value is outside what is safe.
    """
    ready: Method = made(method_type(name), f"method “{name}”", options)
    return ready
