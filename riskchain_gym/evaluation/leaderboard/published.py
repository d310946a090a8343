"""Published aggregates, shown beside a board in a block of their own and never ranked."""

from __future__ import annotations

from importlib import resources

from riskchain_gym.protocol.model import Frozen

End = tuple[float, float]


class PublishedModel(Frozen):
    """One model's published aggregates.

    Attributes:
        model: Its published name.
        restored: Figures over all variants, by the names of boards.
        restored_ends: Their published 95 % intervals.
        figures: Web-only and gated figures, by the names of boards.
        ends: Their published 95 % intervals.
    """

    model: str
    restored: dict[str, float]
    restored_ends: dict[str, End]
    figures: dict[str, float]
    ends: dict[str, End]


class Published(Frozen):
    """Aggregates of a publication.

    Attributes:
        source: Where they were published.
        license: Under which licence.
        messages: Messages behind the figures of restoration, a model.
        chains: Websites behind the other figures, a model.
        models: The models, by published gated accuracy.
    """

    source: str
    license: str
    messages: int
    chains: int
    models: tuple[PublishedModel, ...]


def published_aggregates() -> Published:
    """Return the aggregates that were published for ten models (arXiv 2609.16900, CC BY 4.0)."""
    return Published.model_validate_json(resources.files(__package__).joinpath("published.json").read_bytes())
