"""The screens, one module each: what they show and what their forms change."""

from shoal.web.screens import columns, explore, job, opening

ROUTERS = (opening.router, columns.router, explore.router, job.router)
