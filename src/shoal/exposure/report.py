"""What was found about the columns that are released unchanged, and whether it stops a release."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from shoal.errors import ExposureError, option
from shoal.table.schema import Role

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.exposure.effective_k import EffectiveK

# The rule that stops a release; docs/studies/exposure.md says how it does on twenty tables.
LARGEST_FACTOR = 1.5
LARGEST_SHARE_BELOW_HALF = 0.05
# Where so many are left with so few, the mean over all others hides it.
LARGEST_FACTOR_OF_MANY = 1.2
LARGEST_SHARE_OF_MANY = 0.1
LARGEST_FACTOR_IF_DETERMINED = 1.05
LARGEST_SHARE_BELOW_K_IF_DETERMINED = 0.01
# Of several columns that each say a little.
LARGEST_FACTOR_OF_HINTS = 2.0
_WORTH_A_NOTE = 1.2
_TOGETHER = {"repeats": "repeat", "determines": "determine", "narrows": "narrow"}


@dataclass(frozen=True, slots=True)
class ColumnExposure:
    """What one unchanged column gives away.

    Parameters
    ----------
    column, role
        The column, and whether it is sensitive or other.
    stopping
        What stops it from being released, unless it is accepted.
    remarks
        What is reported, and stops nothing.
    remaining
        What it leaves of the candidates; None before there is a release.
    unique, below_k
        Records that are alone, or fewer than k, if the attacker knows this column as well.
    if_known
        Candidates that remain on average in a released class if the attacker knows this column as
        well; counted in the release alone, and ``None`` where it has no classes.
    accepted
        Whether the job accepts the column as it is.
    """

    column: str
    role: Role
    stopping: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    remaining: EffectiveK | None = None
    unique: int | None = None
    below_k: int | None = None
    if_known: float | None = None
    accepted: bool = False

    def with_figures(
        self, remaining: EffectiveK, k: int, unique: int, below_k: int, if_known: float | None
    ) -> ColumnExposure:
        """Return the same with what the release shows about it."""
        finding = _about_candidates(remaining)
        stopping, remarks = self.stopping, self.remarks
        if self.role is Role.OTHER and undoes(remaining, k):
            stopping += (finding,)
        elif remaining.factor >= _WORTH_A_NOTE:
            remarks += (finding,)
        return replace(
            self,
            stopping=stopping,
            remarks=remarks,
            remaining=remaining,
            unique=unique,
            below_k=below_k,
            if_known=if_known,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything that was found, for the custodian; no value of the column."""
        found = self.shown()
        found["stops"] = bool(self.stopping)
        found["findings"] = [*self.stopping, *self.remarks]
        if self.remaining is not None:
            found |= {
                "candidates": round(self.remaining.candidates, 2),
                "effective_k": round(self.remaining.effective, 2),
                "below_half_of_k": round(self.remaining.below_half, 4),
                "below_k": round(self.remaining.below_k, 4),
                "through": self.remaining.through,
                "relation": self.remaining.relation,
            }
        return found

    def shown(self) -> dict[str, Any]:
        """Return what a reader of the release can count, and whether the job accepts the column."""
        return {
            "column": self.column,
            "role": str(self.role),
            "accepted": self.accepted,
            "unique_if_known": self.unique,
            "below_k_if_known": self.below_k,
            "effective_k_if_known": _rounded(self.if_known),
        }


@dataclass(frozen=True, slots=True)
class TogetherExposure:
    """What several other columns undo together, and none of them alone.

    Parameters
    ----------
    columns
        The fewest columns that do it.
    remaining
        What they leave of the candidates.
    accepted
        Whether the job accepts all of them as they are.
    anatomy
        Whether they tell whose a sensitive value is, in a release of two tables.
    """

    columns: tuple[str, ...]
    remaining: EffectiveK
    accepted: bool = False
    anatomy: bool = False

    def sentence(self) -> str:
        """Return what they undo, and by how much."""
        kind = "sensitive attribute" if self.anatomy else "quasi-identifier"
        verb = _TOGETHER[self.remaining.relation or "narrows"]
        known = f"the {kind} {self.remaining.through!r}"
        if self.remaining.through is None:
            known = f"the {kind}" if self.anatomy else f"the {kind}s"
        each = "neither" if len(self.columns) == 2 else "none"
        left = left_of_group if self.anatomy else _left
        return (
            f"{_listed(self.columns)} together {verb} {known} as {each} of them does alone: "
            f"{left(self.remaining)}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return what was found, for the custodian."""
        return {
            "columns": list(self.columns),
            "accepted": self.accepted,
            "candidates": round(self.remaining.candidates, 2),
            "effective_k": round(self.remaining.effective, 2),
            "through": self.remaining.through,
            "relation": self.remaining.relation,
        }


@dataclass(frozen=True, slots=True)
class Exposure:
    """What all unchanged columns of a release give away.

    Parameters
    ----------
    columns
        The unchanged columns, one by one.
    together
        What all other columns together leave of the candidates.
    unique
        Records that are alone if the attacker knows all other columns as well.
    if_known
        Candidates that remain on average if the attacker knows all unchanged columns as well.
    joint
        Columns that undo the release together, though not one by one.
    """

    columns: tuple[ColumnExposure, ...]
    together: EffectiveK | None = None
    unique: int | None = None
    if_known: float | None = None
    joint: tuple[TogetherExposure, ...] = ()

    @property
    def accepted(self) -> tuple[str, ...]:
        """Columns that would have stopped the release, and were accepted."""
        alone = [one.column for one in self.columns if one.accepted and one.stopping]
        joint = [name for one in self.joint if one.accepted for name in one.columns]
        return tuple(dict.fromkeys((*alone, *joint)))

    @property
    def refused(self) -> tuple[str, ...]:
        """Columns that stop the release, by themselves or together."""
        alone = [one.column for one in self._refused]
        joint = [name for one in self._refused_together for name in one.columns]
        return tuple(dict.fromkeys((*alone, *joint)))

    @property
    def _refused(self) -> list[ColumnExposure]:
        return [one for one in self.columns if one.stopping and not one.accepted]

    @property
    def _refused_together(self) -> list[TogetherExposure]:
        return [one for one in self.joint if not one.accepted]

    def require_none_refused(self, *, generalizing: bool = True) -> None:
        """Raise if a column must not leave as it is.

        Parameters
        ----------
        generalizing
            Whether quasi-identifiers are generalized, which is a way out.

        Raises
        ------
        ExposureError
            With each column, what it gives away, and the ways out.
        """
        names = list(self.refused)
        if not names:
            return
        them = "them" if len(names) > 1 else "it"
        raise ExposureError(
            "Nothing was written: "
            + ("columns that would be" if len(names) > 1 else "a column that would be")
            + " released unchanged may give people away.\n"
            + "\n".join(
                [
                    *(f"Column {one.column!r} {one.stopping[0]}." for one in self._refused),
                    *(f"Columns {one.sentence()}." for one in self._refused_together),
                ]
            ),
            remedy=f"Drop {them} ({option('identifier', names)}), "
            + (f"generalize {them} ({option('quasi', names)}), " if generalizing else "")
            + f"or, if you know better, release {them} unchanged: {option('accept', names)}.",
            columns=tuple(names),
        )

    def notes(self) -> list[str]:
        """Return sentences that a custodian should read."""
        notes = [
            f"Column {one.column!r} was accepted although it {one.stopping[0]}."
            for one in self.columns
            if one.accepted and one.stopping
        ]
        notes += [
            f"Columns were accepted although {one.sentence()}."
            for one in self.joint
            if one.accepted
        ]
        notes += [
            f"Column {one.column!r} ({one.role}) {sentence}."
            for one in self.columns
            for sentence in one.remarks
        ]
        others = [one for one in self.columns if one.role is Role.OTHER]
        if self.together is not None and self.unique is not None and others:
            notes.append(
                f"For an attacker who knows the quasi-identifiers alone, {_left(self.together)} "
                f"once the {_number(others)} taken into account. If the attacker knows "
                f"{'it' if len(others) == 1 else 'them'} too, {_unique(self.unique)}."
            )
        return notes

    def verdict(self) -> tuple[bool, str]:
        """Return whether nothing stops the release, and what was examined and accepted."""
        if self.refused:
            alone = [f"{one.column!r} {one.stopping[0]}" for one in self._refused]
            return False, "; ".join([*alone, *(one.sentence() for one in self._refused_together)])
        number = len(self.columns)
        details = [f"{number} unchanged column{'' if number == 1 else 's'} examined {self._means}"]
        accepted = ", ".join(map(repr, self.accepted))
        if accepted:
            details.append(f"accepted as they are: {accepted}")
        else:
            how = ", one by one or together" if self.together is not None else " by itself"
            details.append(f"nothing found that gives people away{how}")
        if self.if_known is not None:
            # Counted in the release, so that it may be published with the verdict.
            details.append(
                "if an attacker knows the other columns too, "
                f"{self.if_known:.1f} candidates remain on average"
            )
        return True, "; ".join(details)

    @property
    def _means(self) -> str:
        """By what columns were examined, so that nobody reads more into it."""
        if any(one.remaining is not None for one in self.columns):
            return "by value and by how many candidates remain"
        return (
            "by value alone, not by how many candidates remain (verification with the custody file "
            "counts them)"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything that was found, for the custodian."""
        together: dict[str, Any] = {
            "unique_if_known": self.unique,
            "effective_k_if_known": _rounded(self.if_known),
        }
        if self.together is not None:
            together |= {
                "candidates": round(self.together.candidates, 2),
                "effective_k": round(self.together.effective, 2),
                "findings": [one.to_dict() for one in self.joint],
            }
        return {
            "columns": [one.to_dict() for one in self.columns],
            "other_columns_together": together,
            "accepted": list(self.accepted),
        }

    def uncounted(self) -> Exposure:
        """Return the same without figures of records: those were counted with withheld ones."""
        columns = [replace(one, unique=None, below_k=None, if_known=None) for one in self.columns]
        return Exposure(tuple(columns), joint=self.joint)

    def shown(self) -> dict[str, Any]:
        """Return what may be published: nothing that the release itself does not show.

        For an attacker who knows an unchanged column, effective k is counted in the release. For
        one who does not, it depends on the exact values behind the released cells, so that figure
        stays in custody.
        """
        return {
            "columns": [one.shown() for one in self.columns],
            "other_columns_together": {
                "unique_if_known": self.unique,
                "effective_k_if_known": _rounded(self.if_known),
            },
            "accepted": [one.column for one in self.columns if one.accepted],
        }


def undoes(remaining: EffectiveK, k: int) -> bool:
    """Return whether a column undoes enough of the generalization to stop a release.

    It does if it repeats a quasi-identifier that was generalized, or if it breaks what k promises.
    A column that determines a quasi-identifier breaks it with certainty: then it is enough if an
    attacker is a twentieth likelier to pick the right record, and one record in a hundred is left
    with fewer than k candidates. Any other column breaks it on average if effective k falls below
    k, or for some, if one record in twenty is left with fewer than half of k candidates, and an
    attacker is half as likely again to pick the right record; a fifth likelier is enough where one
    record in ten is left with so few.
    """
    factor, below_half = remaining.factor, remaining.below_half
    if remaining.relation == "repeats":
        return factor > 1.001
    if remaining.relation == "determines" and factor >= LARGEST_FACTOR_IF_DETERMINED:
        return remaining.effective < k or remaining.below_k >= LARGEST_SHARE_BELOW_K_IF_DETERMINED
    if factor >= LARGEST_FACTOR:
        return remaining.effective < k or below_half >= LARGEST_SHARE_BELOW_HALF
    return factor >= LARGEST_FACTOR_OF_MANY and below_half >= LARGEST_SHARE_OF_MANY


def _about_candidates(remaining: EffectiveK) -> str:
    return f"{remaining.relation} the quasi-identifier {remaining.through!r}: {_left(remaining)}"


def _unique(records: int) -> str:
    if records == 1:
        return "1 record is unique"
    return f"{records:,} records are unique" if records else "no record is unique"


def _left(remaining: EffectiveK) -> str:
    return (
        f"of {_mean(remaining.candidates)} candidates for a person {_at_most_all(remaining):.1f} "
        "remain on average"
    )


def left_of_group(remaining: EffectiveK) -> str:
    """Return how many records of a group remain for a sensitive value."""
    return (
        f"of {_mean(remaining.candidates)} records that a value may belong to "
        f"{_at_most_all(remaining):.1f} remain on average"
    )


def _mean(number: float) -> str:
    return f"{number:,.0f}" if number.is_integer() else f"{number:,.1f}"


def _at_most_all(remaining: EffectiveK) -> float:
    """Return how many remain; the estimate may be above all where a column says nothing."""
    return min(remaining.effective, remaining.candidates)


def _listed(names: Sequence[str]) -> str:
    return f"{', '.join(map(repr, names[:-1]))} and {names[-1]!r}"


def _rounded(figure: float | None) -> float | None:
    return None if figure is None else round(figure, 2)


def _number(columns: Sequence[ColumnExposure]) -> str:
    return "other column is" if len(columns) == 1 else f"{len(columns)} other columns are"
