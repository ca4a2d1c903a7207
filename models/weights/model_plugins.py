"""Registries of models, each with the weights and packages that it needs."""

from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

from models.weights import installed_weights
from project.entities.study_records import Json
from project.errors import UserError
from project.plugins.plugin_registry import Plugin, Plugins


class InferenceModel(Protocol):
    """What every model says of itself."""

    @property
    def key(self) -> str:
        """Its name in the registry."""

    @property
    def parameters(self) -> Mapping[str, Json]:
        """Whatever changes its answers, so that a run can be repeated."""


class ModelPlugins(Plugins[Plugin]):
    """A registry of models.

    Attributes:
        weights: name -> name of its weights in the catalogue; one that is not named needs none.
    """

    def __init__(
        self,
        kind: str,
        places: Mapping[str, str],
        weights: Mapping[str, str] | None = None,
        packages: Mapping[str, tuple[str, ...]] | None = None,
    ) -> None:
        super().__init__(kind, places)
        self.weights = weights or {}
        self._packages = packages or {}

    def is_installed(self, name: str) -> bool:
        """Tell whether the packages and weights of a model are there."""
        weights = self.weights.get(self.require(name))
        return not self._missing_packages(name) and (weights is None or installed_weights.is_installed(weights))

    def default(self) -> str | None:
        """Return the first that is installed; None where none is."""
        return next(filter(self.is_installed, self), None)

    def require_installed(self, name: str) -> Path | None:
        """Raise where a model cannot run, without loading it; return its weights, None where it needs none."""
        self.require(name)
        if missing := self._missing_packages(name):
            raise UserError(f"The {self.kind} “{name}” is not installed.", f"Install {', '.join(missing)}.")
        return installed_weights.verified_path(self.weights[name]) if name in self.weights else None

    def make(self, name: str, *arguments: Any, **options: Any) -> Plugin:
        """Make a model ready for use, once all that it needs was found installed and whole."""
        self.require_installed(name)
        return super().make(name, *arguments, **options)

    def _missing_packages(self, name: str) -> list[str]:
        return [package for package in self._packages.get(name, ()) if find_spec(package) is None]
