"""The case mix of the example: diagnoses, whom they befall, and what a stay costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Upper ends of the age bands; the last band is open.
AGE_BANDS = (1, 18, 45, 65, 80)


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """A reason for an admission.

    Parameters
    ----------
    code
        A three-character code in the manner of ICD-10; its letter is the chapter.
    ward
        Where such patients lie.
    by_age
        How frequent it is in each age band of :data:`AGE_BANDS`.
    women
        Share of women among those who have it; 1 befalls women alone, 0 men alone.
    stay
        Mean days of a stay.
    fixed, daily
        Cost of the treatment, and of each day.
    chronic
        Whether a patient who comes back mostly comes back with it.
    """

    code: str
    ward: str
    by_age: tuple[float, float, float, float, float, float]
    women: float
    stay: float
    fixed: float
    daily: float
    chronic: bool = False


DIAGNOSES = (
    Diagnosis("A09", "Medicine", (6, 4, 2, 1, 1, 2), 0.52, 3, 400, 420),
    Diagnosis("A41", "Intensive care", (2, 1, 1, 3, 6, 8), 0.47, 11, 5200, 1350),
    Diagnosis("B34", "Paediatrics", (14, 8, 0, 0, 0, 0), 0.48, 3, 300, 480),
    Diagnosis("C18", "Surgery", (0, 0, 1, 5, 6, 4), 0.46, 10, 9800, 610, chronic=True),
    Diagnosis("C34", "Medicine", (0, 0, 1, 6, 6, 3), 0.42, 8, 6200, 640, chronic=True),
    Diagnosis("C50", "Surgery", (0, 0, 4, 8, 5, 3), 0.99, 5, 7100, 590, chronic=True),
    Diagnosis("C61", "Urology", (0, 0, 0, 5, 8, 4), 0.0, 5, 7900, 560, chronic=True),
    Diagnosis("C83", "Medicine", (0, 1, 2, 3, 3, 2), 0.45, 9, 8800, 820, chronic=True),
    Diagnosis("D50", "Medicine", (1, 1, 3, 2, 3, 4), 0.68, 4, 600, 430),
    Diagnosis("E10", "Medicine", (0, 6, 4, 3, 2, 1), 0.48, 5, 900, 450, chronic=True),
    Diagnosis("E11", "Medicine", (0, 0, 2, 8, 9, 7), 0.45, 6, 1000, 440, chronic=True),
    Diagnosis("F10", "Psychiatry", (0, 1, 9, 8, 2, 1), 0.27, 8, 500, 390, chronic=True),
    Diagnosis("F20", "Psychiatry", (0, 1, 6, 4, 1, 0), 0.44, 24, 700, 380, chronic=True),
    Diagnosis("F32", "Psychiatry", (0, 5, 9, 7, 3, 2), 0.63, 21, 600, 370, chronic=True),
    Diagnosis("G40", "Neurology", (4, 5, 4, 3, 3, 3), 0.47, 4, 900, 520, chronic=True),
    Diagnosis("G45", "Neurology", (0, 0, 1, 4, 7, 7), 0.5, 4, 1200, 560),
    Diagnosis("H25", "Ophthalmology", (0, 0, 0, 3, 8, 7), 0.58, 1, 1700, 350),
    Diagnosis("I20", "Cardiology", (0, 0, 2, 9, 10, 7), 0.36, 4, 3100, 620, chronic=True),
    Diagnosis("I21", "Cardiology", (0, 0, 2, 9, 9, 9), 0.35, 7, 6900, 880),
    Diagnosis("I48", "Cardiology", (0, 0, 1, 6, 11, 11), 0.46, 4, 2300, 590, chronic=True),
    Diagnosis("I50", "Cardiology", (0, 0, 1, 5, 14, 22), 0.5, 10, 2400, 520, chronic=True),
    Diagnosis("I63", "Neurology", (0, 0, 1, 6, 11, 14), 0.48, 12, 4900, 730),
    Diagnosis("J18", "Medicine", (6, 4, 2, 4, 9, 16), 0.45, 8, 1500, 480),
    Diagnosis("J20", "Paediatrics", (20, 5, 0, 0, 0, 0), 0.42, 4, 400, 500),
    Diagnosis("J35", "Ear, nose and throat", (1, 14, 5, 1, 0, 0), 0.51, 3, 1900, 410),
    Diagnosis("J44", "Medicine", (0, 0, 1, 7, 10, 7), 0.46, 8, 1600, 470, chronic=True),
    Diagnosis("K35", "Surgery", (0, 9, 6, 2, 1, 1), 0.46, 4, 3300, 490),
    Diagnosis("K40", "Surgery", (2, 2, 3, 6, 6, 3), 0.12, 2, 2600, 430),
    Diagnosis("K80", "Surgery", (0, 1, 6, 8, 8, 6), 0.64, 4, 3600, 470),
    Diagnosis("M16", "Orthopaedics", (0, 0, 1, 8, 12, 6), 0.58, 8, 7700, 420),
    Diagnosis("M17", "Orthopaedics", (0, 0, 1, 9, 13, 5), 0.62, 8, 7900, 420),
    Diagnosis("M51", "Orthopaedics", (0, 1, 8, 9, 5, 3), 0.49, 6, 3900, 410),
    Diagnosis("N20", "Urology", (0, 1, 6, 7, 4, 2), 0.34, 3, 2200, 430),
    Diagnosis("N39", "Medicine", (5, 4, 3, 3, 6, 11), 0.71, 6, 800, 420),
    Diagnosis("O34", "Obstetrics", (0, 0.3, 15, 0, 0, 0), 1.0, 4, 3100, 460),
    Diagnosis("O80", "Obstetrics", (0, 0.7, 30, 0, 0, 0), 1.0, 3, 1800, 450),
    Diagnosis("P07", "Neonatology", (34, 0, 0, 0, 0, 0), 0.48, 19, 9300, 1120),
    Diagnosis("P59", "Neonatology", (22, 0, 0, 0, 0, 0), 0.45, 3, 500, 640),
    Diagnosis("S06", "Surgery", (7, 14, 7, 4, 5, 9), 0.43, 3, 1100, 520),
    Diagnosis("S52", "Orthopaedics", (1, 10, 4, 5, 6, 7), 0.57, 3, 3000, 430),
    Diagnosis("S72", "Orthopaedics", (0, 2, 1, 2, 9, 25), 0.69, 13, 7300, 450),
    Diagnosis("Z51", "Medicine", (0, 1, 3, 9, 10, 4), 0.5, 3, 3400, 760, chronic=True),
)


def frequencies(age_band: int, sex: str) -> NDArray[np.float64]:
    """Return how likely each diagnosis is for patients of an age band and sex."""
    chances = [
        diagnosis.by_age[age_band]
        * {"F": diagnosis.women, "M": 1.0 - diagnosis.women}.get(sex, 0.5)
        for diagnosis in DIAGNOSES
    ]
    return np.array(chances) / sum(chances)
