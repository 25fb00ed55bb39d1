"""`refine`: a local search on the classes of another algorithm.

Kernel: cpp/src/refine/refine.cpp.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pydantic import Field, field_validator

from shoal._core import kernels
from shoal.algorithms.algorithm import (
    Family,
    Form,
    Traits,
    algorithm,
    algorithms,
    solve_partition,
)
from shoal.algorithms.budget import Budget, for_width
from shoal.algorithms.cluster.completion import complete
from shoal.algorithms.cluster.k_member import estimate_seconds
from shoal.algorithms.cluster.suppression import is_suppression_worth_time
from shoal.algorithms.constants import (
    FIRST_DIVISION_SHARE,
    REFINE_SECONDS,
    REFINE_SMALL,
    REFINE_START_OVERRUN,
    REFINE_START_SHARE,
    REFINE_STEPS_A_RECORD,
)
from shoal.algorithms.kernel_models import kernel_models
from shoal.algorithms.partition import Partition
from shoal.algorithms.run import ExpiredError

if TYPE_CHECKING:
    from shoal.algorithms.problem import Problem
    from shoal.algorithms.run import Run

NAME = "refine"
AUTOMATIC = "automatic"
FASTEST = "mondrian"


def _default_budget(problem: Problem) -> Budget:
    if problem.n <= REFINE_SMALL:
        return Budget(steps=for_width(REFINE_STEPS_A_RECORD * problem.n, len(problem.codes)))
    return Budget(seconds=REFINE_SECONDS)


@algorithm(
    NAME,
    family=Family.CLUSTER,
    traits=Traits(
        summary="Improve the classes of another algorithm by local search, within a budget.",
        use_when="you already have classes and time to improve them; `auto` calls it for you",
        cost=f"set by `time` or `steps`; {REFINE_SECONDS:.0f} seconds by default (up to "
        f"{REFINE_SMALL:,} records: {REFINE_STEPS_A_RECORD:,} steps per record, fewer for wide "
        "tables)",
        paper="Annealed local search over nearest-neighbour lists, this project's own",
        anytime=True,
        random=True,
        measures=("gcp", "mi", "pmi", "wmi"),
        default_budget=_default_budget,
    ),
)
class Refine:
    """Records move, swap and leave in blocks; classes dissolve, open and are divided again.

    The idea: a record suits the classes of its nearest neighbours, so proposals come from lists of
    neighbours. A proposal is accepted if it lowers the loss, or, with some chance, if it raises it
    a little (annealing); that chance falls towards the end of the budget, and the last part only
    goes downhill. A class loses a value only if all its records with that value leave together; if
    it would become too small, it takes others in return. The first steps find out how much "a
    little" is, and kinds of proposals that gain next to nothing get less of the work. The results
    of all rounds are combined: of every part of the table that two rounds divide differently, the
    better version is kept. Every class keeps k records and every model throughout.

    With a budget of steps, regions of neighbouring classes are searched independently and cut again
    in every round, by a rule that does not depend on threads; so threads share the regions without
    changing the result. Against the clock, tables of up to 200,000 records are searched as a whole,
    and threads redistribute the classes every few milliseconds.

    The start gets a fifth of the time; if it overruns, it is stopped, and mondrian takes its place.
    Time is the budget, after the lists of neighbours, which take O(n²) in distinct rows with a very
    small constant (beyond 100,000 rows, or with little time, O(n) for near instead of nearest
    neighbours). Memory is O(n·m). The result is never worse than the start. Steps are evaluations
    of a class.
    """

    start: str = Field(
        default=AUTOMATIC,
        description="the clustering algorithm whose classes are improved; automatic takes "
        f"k-member if a fifth of the time is enough for it, else {FASTEST}",
    )
    neighbours: int = Field(
        default=32, ge=4, le=256, description="how many nearest rows of each row are candidates"
    )
    heat: float = Field(
        default=1.0,
        ge=0.0,
        le=100.0,
        description="factor on the temperatures of the annealing; 0 goes downhill only",
    )
    region: int = Field(
        default=0,
        ge=0,
        le=1_000_000_000,
        description="records that are searched together (or 40 k if that is more); 0 takes, under "
        "`time`, all records up to 200,000, otherwise 55 % of the table, from 8,192 "
        "to 65,536",
    )

    @field_validator("start")
    @classmethod
    def _known_start(cls, start: str) -> str:
        known = [
            name
            for name, cls in algorithms().items()
            if name != NAME and cls.traits.form == Form.CLASSES
        ]
        if start not in [AUTOMATIC, *known]:
            raise ValueError(f"choose one of {', '.join([AUTOMATIC, *known])}")
        return start

    def solve(self, problem: Problem, run: Run) -> Partition:
        """Return the best classes found."""
        budget = run.budget.steps_first()
        # Where records may be suppressed, the rest may be divided a second time.
        first = problem.suppression_limit > 0
        taken = 0

        def search(subproblem: Problem) -> Partition:
            nonlocal taken, first
            halved = first and problem.suppress_for == "released"
            own = run.within(budget.share(FIRST_DIVISION_SHARE if halved else 1.0))
            with run.part(0.0, REFINE_START_SHARE):
                partition = self._divide_first(subproblem, own)
            timed = first and not halved and budget.seconds is not None
            if timed and is_suppression_worth_time(subproblem, partition):
                own = run.within(own.budget.share(FIRST_DIVISION_SHARE))
            with run.part(REFINE_START_SHARE, 1.0):
                partition = self.improve(subproblem, partition, own)
            taken += run.control.steps
            first = False
            return partition

        partition = complete(problem, run, search)
        run.control.steps = taken
        return partition

    def improve(self, problem: Problem, partition: Partition, run: Run) -> Partition:
        """Return the best classes that the search finds from these, which meet every model.

        The run must have a budget.
        """
        objective, models = problem.objective(), kernel_models(problem)
        entries = kernels.refine(
            objective,
            models,
            partition.rows,
            partition.classes,
            partition.counts,
            partition.number,
            k=problem.k,
            seed=run.kernel_seed(),
            threads=run.threads,
            steps=run.budget.kernel_steps,
            seconds=run.budget.kernel_seconds,
            neighbours=self.neighbours,
            region=self.region,
            heat=self.heat,
            control=run.control,
        )
        return Partition.of(*entries)

    def _divide_first(self, problem: Problem, run: Run) -> Partition:
        """Return classes to start from, every model met, in a share of the time or soon after.

        An algorithm that looks at the time gives the best it has by then. Any other is stopped
        at twice that, and its place taken by one that is fast for tables of every size and needs
        no repair.
        """
        subproblem = problem.without_suppression()
        first = run.child(replace(run.budget.share(REFINE_START_SHARE), steps=None))
        seconds = first.budget.seconds_left
        most = REFINE_START_OVERRUN * seconds
        chosen = self.start
        if chosen == AUTOMATIC:
            chosen = "k-member" if estimate_seconds(problem) < seconds else FASTEST
        if chosen != FASTEST:
            try:
                with run.at_most(most):
                    return self._run_start(chosen, subproblem, first, run)
            except ExpiredError:
                run.note(
                    f"{chosen} was stopped after {most:.1f} seconds to leave time for "
                    f"refining; the search started from the classes of {FASTEST}."
                )
        keeping = {"models": "keep"} if problem.models else {}
        return self._run_start(FASTEST, subproblem, first, run, keeping)

    @staticmethod
    def _run_start(
        name: str, problem: Problem, first: Run, run: Run, parameters: dict[str, str] | None = None
    ) -> Partition:
        partition = solve_partition(name, problem, first, parameters)
        run.note(*first.notes)
        return partition
