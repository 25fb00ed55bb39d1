"""The screens, one module each: what they show and what their forms change."""

from shoal.web.screens import columns, explore, hierarchies, job, opening, run

ROUTERS = (
    opening.router,
    columns.router,
    hierarchies.router,
    run.router,
    explore.router,
    job.router,
)
