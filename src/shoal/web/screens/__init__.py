"""The screens, one module each: what they show and what their forms change."""

from shoal.web.screens import (
    columns,
    compare,
    explore,
    export,
    goal,
    hierarchies,
    job,
    opening,
    run,
)

ROUTERS = (
    opening.router,
    columns.router,
    hierarchies.router,
    goal.router,
    run.router,
    compare.router,
    explore.router,
    export.router,
    job.router,
)
