"""Privacy models as users write them: ``NAME:VALUE[@column]``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.privacy.model import Model


def parse_models(specifications: Sequence[str]) -> list[Model]:
    """Return the models these words describe.

    Raises
    ------
    ParameterError
        If a model is unknown.
    """
    for specification in specifications:
        raise ParameterError(
            f"There is no privacy model {specification.partition(':')[0]!r}.",
            remedy="This version knows k-anonymity alone, by -k.",
        )
    return []
