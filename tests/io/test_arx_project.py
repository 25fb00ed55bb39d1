"""Projects of ARX become jobs that run."""

from __future__ import annotations

import tomllib
import zipfile
from typing import TYPE_CHECKING

import pytest

from shoal.cli.main import run
from shoal.errors import FileError
from shoal.hierarchies import read_rows
from shoal.io import read_source, read_table
from shoal.io.arx_project import read_arx_project
from shoal.io.source import ReadOptions

if TYPE_CHECKING:
    from pathlib import Path

DEFINITION = """<?xml version="1.0" encoding="UTF-8"?>
<definition>
 <assigment><name>name</name><type>IDENTIFYING_ATTRIBUTE</type><datatype>String</datatype></assigment>
 <assigment><name>age</name><type>QUASI_IDENTIFYING_ATTRIBUTE</type><datatype>Integer</datatype>
  <ref>hierarchies/age.csv</ref><min>All</min><max>1</max></assigment>
 <assigment><name>sex</name><type>QUASI_IDENTIFYING_ATTRIBUTE</type><datatype>String</datatype>
  <ref>hierarchies/sex.csv</ref></assigment>
 <assigment><name>seen</name><type>QUASI_IDENTIFYING_ATTRIBUTE</type>
  <datatype>Date/Time</datatype><format>dd.MM.yyyy</format></assigment>
 <assigment><name>sick</name><type>SENSITIVE_ATTRIBUTE</type><datatype>String</datatype></assigment>
</definition>
"""
CONFIG = """<config><relativeMaxOutliers>0.1</relativeMaxOutliers>
<attributeWeights>
 <attributeWeight><attribute>age</attribute><weight>0.8</weight></attributeWeight>
 <attributeWeight><attribute>sex</attribute><weight>0.5</weight></attributeWeight>
</attributeWeights>
<criteria><criterion>2-anonymity</criterion>
<criterion>distinct-2-diversity for attribute 'sick'</criterion>
<criterion>enhanced-4.0-likeness for attribute 'sick'</criterion>
<criterion>profitability</criterion></criteria></config>
"""
DATA = """name;age;sex;seen;sick
Ann;34;f;01.02.2024;flu
Ben;35;m;03.02.2024;cold
Cat;44;f;05.02.2024;flu
Dan;45;m;07.02.2024;gout
"""


def project(folder: Path, **parts: str | bytes) -> Path:
    path = folder / "clinic.deid"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("metadata.xml", "<metadata><version>3.9</version></metadata>")
        archive.writestr("input/definition.xml", parts.get("definition", DEFINITION))
        archive.writestr("input/config.xml", parts.get("config", CONFIG))
        archive.writestr(
            "input/hierarchies/age.csv", "34;30-39;any\n35;30-39;any\n44;40-49;any\n45;40-49;any\n"
        )
        archive.writestr("input/hierarchies/sex.csv", parts.get("sex", "f;*\nm;*\n"))
        archive.writestr("data/input.csv", DATA)
        archive.writestr("project.xml", parts.get("project", "<project />"))
        # What ARX writes beside: its own objects, the last result, and the lattice it searched.
        for part in (
            "project.dat", "data/input_subset.csv", "data/output.csv",
            "data/output_subset.csv", "input/config.dat", "output/config.dat",
            "output/config.xml", "output/definition.xml", "output/hierarchies/age.csv",
            "lattice.xml", "lattice.dat", "infoloss.dat", "attributes.dat", "clipboard.xml",
            "filter.dat",
        ):  # fmt: skip
            archive.writestr(part, b"\xac\xed\x00\x05")
    return path


def test_a_project_becomes_options_and_hierarchies(tmp_path: Path) -> None:
    found = read_arx_project(project(tmp_path))
    assert found.options == {
        "identifier": ["name"],
        "quasi": ["age", "sex", "seen"],
        "sensitive": ["sick"],
        "date_format": {"seen": "%d.%m.%Y"},
        "max_level": {"age": 1},
        "suppression": 0.1,
        "weight": {"age": 0.8, "sex": 0.5},
        "k": 2,
        "model": ["distinct-l-diversity:2@sick", "enhanced-beta-likeness:4.0@sick"],
    }
    assert found.hierarchies["age"].names(2) == ("*",) * 4
    assert set(found.hierarchies["age"].names(1)) == {"30-39", "40-49"}
    assert found.notes == ("The privacy model 'profitability' was not imported.",)


def test_the_job_runs_on_the_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "clinic.csv").write_text(DATA)
    project(tmp_path)
    assert run(["import", "arx", "clinic.deid", "-o", "job.toml"]) == 0
    job = tomllib.loads((tmp_path / "job.toml").read_text())
    assert job["hierarchy"] == {
        "age": "job-hierarchies/01-age.csv",
        "sex": "job-hierarchies/02-sex.csv",
    }
    made = ["anonymize", "clinic.csv", "--job", "job.toml", "-o", "out.csv", "--facts", "f.json"]
    assert run(made) == 0
    assert run(["verify", "clinic.csv", "out.csv", "--facts", "f.json"]) == 0
    assert set(read_table("out.csv", header="present")["age"]) <= {"30-39", "40-49", "*"}
    assert run(["import", "arx", "clinic.deid", "-o", "job.toml"]) == 2


@pytest.mark.parametrize("told", ["<project><separator>;</separator></project>", "damaged"])
def test_labels_of_hierarchies_may_hold_commas(tmp_path: Path, told: str) -> None:
    path = project(tmp_path, sex="f;{f, m, x, y};any\nm;{f, m, x, y};any\n", project=told)
    assert read_arx_project(path).hierarchies["sex"].rows() == [
        ("f", "{f, m, x, y}", "*"),
        ("m", "{f, m, x, y}", "*"),
    ]


def test_hierarchy_files_with_commas_in_labels(tmp_path: Path) -> None:
    (tmp_path / "age.csv").write_text("21;[20, 30[;[0, 50[;any\n35;[30, 40[;[0, 50[;any\n")
    assert read_rows(tmp_path / "age.csv", rooted=True) == [
        ["21", "[20, 30[", "[0, 50[", "*"],
        ["35", "[30, 40[", "[0, 50[", "*"],
    ]


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"name;age\n"])
def test_what_is_no_project(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x.deid").write_bytes(content)
    with pytest.raises(FileError, match="is not an ARX project"):
        read_arx_project(tmp_path / "x.deid")
    with pytest.raises(FileError, match="cannot be read"):
        read_arx_project(tmp_path / "absent.deid")


def test_a_project_without_roles(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="no quasi-identifier"):
        read_arx_project(project(tmp_path, definition="<definition/>"))


def test_decimal_commas_are_read_as_points(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("paid;note;zip\n1.234,50;a, b;1.5\n-7,25;c;x\n;d;2\n")
    source = read_source(path, ReadOptions(decimal=","))
    assert source.frame.rows() == [
        ("1234.50", "a, b", "1.5"),
        ("-7.25", "c", "x"),
        (None, "d", "2"),
    ]
    assert "Numbers of 'paid'" in source.notes[0]
    assert read_table(path)["paid"][0] == "1.234,50"


def test_functions_of_microaggregation_become_aggregates(tmp_path: Path) -> None:
    tag = "microaggregationFunction"
    changed = DEFINITION.replace("<ref>hierarchies/sex.csv</ref>", f"<{tag}>Mode</{tag}>").replace(
        "<format>dd.MM.yyyy</format>", f"<{tag}>Geometric mean</{tag}>"
    )
    found = read_arx_project(project(tmp_path, definition=changed))
    assert found.options["aggregate"] == {"sex": "mode"}
    assert any("'Geometric mean'" in note for note in found.notes)


def test_limits_and_weights_that_are_no_numbers_are_noted(tmp_path: Path) -> None:
    changed = CONFIG.replace("0.1<", "abc<").replace("0.8", "nan")
    found = read_arx_project(project(tmp_path, config=changed))
    assert "suppression" not in found.options
    assert "weight" not in found.options
    assert any("suppression limit is not a number" in note for note in found.notes)
    assert any("'age': the weight is not a number" in note for note in found.notes)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("f;Größe\n".encode("cp1252"), "sex.csv is not UTF-8"),
        (b"", "sex.csv is empty"),
        (b"\n\n", "sex.csv is empty"),
    ],
)
def test_hierarchies_that_cannot_be_read(tmp_path: Path, content: bytes, says: str) -> None:
    with pytest.raises(FileError, match=says) as caught:
        read_arx_project(project(tmp_path, sex=content))
    assert caught.value.remedy


@pytest.mark.parametrize(
    ("pattern", "directives"),
    [
        ("MM/dd/yyyy", "%m/%d/%Y"),
        ("yyyy-MM-dd'T'HH:mm:ss", "%Y-%m-%dT%H:%M:%S"),
        ("dd 'o''clock' HH", "%d o'clock %H"),
        ("d.M.yyyy", None),
        ("EEE, dd MMM yyyy", None),
        ("dd/MM/yy hh:mm a", None),
        ("yyyy-MM-dd HH:mm:ss.SSS", None),
    ],
)
def test_date_patterns_are_taken_over_or_noted(
    tmp_path: Path, pattern: str, directives: str | None
) -> None:
    changed = DEFINITION.replace("dd.MM.yyyy", pattern)
    found = read_arx_project(project(tmp_path, definition=changed))
    assert found.options.get("date_format", {}).get("seen") == directives
    noted = any(f"date format {pattern!r}" in note for note in found.notes)
    assert noted == (directives is None)
