"""The Hilbert curve as a list of points, put together from turned and mirrored smaller curves."""

from __future__ import annotations

Point = tuple[int, ...]


def _gray(number: int) -> int:
    return number ^ (number >> 1)


def _axis_changed(rank: int) -> int:
    """Return the axis in which the Gray codes of a number and the next one differ."""
    return (_gray(rank) ^ _gray(rank + 1)).bit_length() - 1


def curve(axes: int, order: int) -> list[Point]:
    """Return all points of the cube of side ``2**order`` from corner 0 to its neighbour on axis 0.

    Sub-cubes are visited in Gray code order, the Gray code's axes turned by one so that the last
    sub-cube lies along axis 0. Each smaller curve starts at the corner that touches the end of the
    one before.
    """
    if order == 0:
        return [(0,) * axes]
    smaller = curve(axes, order - 1)
    side = 1 << (order - 1)
    points: list[Point] = []
    entry = 0
    for rank in range(1 << axes):
        if rank == 0:
            exit_axis = 1 % axes
        else:
            exit_axis = (_axis_changed(rank if rank % 2 else rank - 1) + 1) % axes
        corner = [_gray(rank) >> ((axis - 1) % axes) & 1 for axis in range(axes)]
        for point in smaller:
            turned = [0] * axes
            for axis, value in enumerate(point):
                turned[(axis + exit_axis) % axes] = value
            mirrored = [
                side - 1 - value if entry >> axis & 1 else value
                for axis, value in enumerate(turned)
            ]
            points.append(
                tuple(value + side * high for value, high in zip(mirrored, corner, strict=True))
            )
        if rank + 1 < 1 << axes:
            entry ^= 1 << exit_axis
            entry ^= 1 << (_axis_changed(rank) + 1) % axes
    return points
