"""The privacy models of a problem in the form that kernels keep them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal._core import kernels

if TYPE_CHECKING:
    from shoal.algorithms.problem import Problem


def kernel_models(problem: Problem) -> kernels.Models:
    """Return the problem's models for kernels to keep.

    A model of a kind that kernels do not know is left out: whatever an algorithm does, the step
    that completes its result makes every model hold.
    """
    models = kernels.Models(problem.rows)
    if problem.models:
        # Imported here: most problems have none, and all kinds of models take their time.
        from shoal.algorithms.kernel_model_kinds import add_to_kernel
    for model, codes in zip(problem.models, problem.protected, strict=True):
        add_to_kernel(model, models, codes)
    return models
