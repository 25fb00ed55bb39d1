"""Options for what a release must guarantee, and what it should lose least of."""

from typing import Annotated, Literal

from pydantic import Field

from shoal.options.definition.kinds import KindOptions
from shoal.options.definition.takers import WEIGHED
from shoal.options.option import Group, Option, Variant
from shoal.options.values import Form, Models, Names

GUARANTEE = Variant(
    "What the release guarantees: classes, freeform, concealment, (k,k), (k,1) or (1,k); classes "
    "unless set."
)


class GoalOptions(KindOptions):
    """What a release must guarantee, and what it should lose least of."""

    suppression: Annotated[
        float,
        Field(ge=0, le=1),
        Option(
            "Largest share of records that may be suppressed; 1 is no limit.",
            Group.GOAL,
            WEIGHED,
            metavar="SHARE",
        ),
    ] = 0.0
    suppress_for: Annotated[
        Literal["total", "released"],
        Option(
            "What suppression must lower: the total loss, in which suppressed records count as "
            "lost, or the loss of the released records alone.",
            Group.GOAL,
            ("anonymize", "compare"),
        ),
    ] = "total"
    suppressed: Annotated[
        Literal["star", "withhold"],
        Option(
            "Suppressed records show * everywhere, or are withheld; fewer than k are withheld.",
            Group.GOAL,
            ("anonymize", "compare"),
        ),
    ] = "star"
    population: Annotated[
        str | None,
        Option(
            "Table of the whole population that the records were drawn from, for the models "
            "k-map and delta-presence.",
            Group.GOAL,
            ("anonymize", "verify", "report", "compare", "plan"),
            metavar="FILE",
        ),
    ] = None
    sampling_fraction: Annotated[
        float | None,
        Field(gt=0, le=1),
        Option(
            "Share of the population that the table is a sample of, for the model "
            "population-uniqueness.",
            Group.GOAL,
            ("anonymize", "verify", "report", "compare", "plan"),
            metavar="SHARE",
        ),
    ] = None
    models: Annotated[
        Models,
        Field(alias="model"),
        Option(
            "Privacy models beyond k, such as distinct-l-diversity:3 or t-closeness:0.2@diagnosis.",
            Group.GOAL,
            ("anonymize", "verify", "report", "plan", "bound"),
            metavar="NAME:VALUE[@COLUMN]",
            accepts="Sequence[Model | str]",
            one_at_a_time=True,
        ),
    ] = ()
    measure: Annotated[
        str,
        Option(
            "The loss measure to minimize.",
            Group.GOAL,
            ("anonymize", "compare", "measure", "bound"),
            metavar="NAME",
            flags=("--measure", "--goal"),
            variants={
                "anonymize": Variant(
                    "The loss measure to minimize; gcp unless set, or what suits `target`.",
                    default=None,
                ),
                "compare": Variant(
                    "The loss measure to minimize; gcp unless set, or what suits `target`.",
                    default=None,
                ),
                "measure": Variant(
                    "A measure with a weight of its own to report too, such as wmi:0.25."
                ),
                "bound": Variant("The loss measure; gcp is the only one that is bounded."),
            },
        ),
    ] = "gcp"
    form: Annotated[
        Form | None,
        Option(
            "What the release looks like: classes, hierarchy, full-domain or freeform; or what it "
            "guarantees: concealment, (k,k), (k,1) or (1,k). An algorithm other than auto decides "
            "it.",
            Group.GOAL,
            ("anonymize", "verify", "report", "compare", "measure", "bound"),
            metavar="FORM",
            accepts="Form",
            variants={
                "bound": Variant(
                    "The form of the releases that are bounded: classes or freeform; classes "
                    "unless set."
                ),
                "verify": GUARANTEE,
                "report": GUARANTEE,
                "measure": Variant(
                    "The form of the release: without classes, measures that are sums over classes "
                    "are left out."
                ),
            },
        ),
    ] = None
    target: Annotated[
        str | None,
        Option(
            "The column that analysts will predict; auto then tries several measures, and global "
            "recoding, and keeps the release that predicts it best.",
            Group.GOAL,
            ("anonymize", "compare", "measure", "utility"),
            columns=True,
            variants={
                "measure": Variant(
                    "The target column of cm, pmi, wmi and entropy_diversity; the first sensitive "
                    "one unless set."
                ),
                "utility": Variant(
                    "The column to predict; the first sensitive one unless set. Without one, only "
                    "counts are compared."
                ),
            },
        ),
    ] = None
    keep_marginals: Annotated[
        Names,
        Option(
            "Tables of counts to keep, such as age*sex: the sum of loss and mean distance of these "
            "tables from the original's is minimized.",
            Group.GOAL,
            ("anonymize", "compare", "measure", "utility"),
            metavar="A*B,…",
            variants=dict.fromkeys(
                ("measure", "utility"),
                Variant(
                    "Tables of counts, such as age*sex, whose distance from the original's to "
                    "report."
                ),
            ),
        ),
    ] = ()
    marginal_weight: Annotated[
        float,
        Field(gt=0),
        Option(
            "How much the mean distance of the tables of `keep_marginals` counts beside the loss.",
            Group.GOAL,
            ("anonymize", "compare"),
            metavar="NUMBER",
        ),
    ] = 1.0
