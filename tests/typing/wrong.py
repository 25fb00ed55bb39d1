"""What a type checker refuses; a comment tells the error it must report on that line."""

from __future__ import annotations

import polars as pl

import shoal

people = pl.DataFrame({"age": [35, 36, 61, 62], "ill": ["flu", "cold", "flu", "gout"]})

shoal.anonimize(people)  # attr-defined: has no attribute "anonimize"
shoal.anonymize(people, quasi=["age"])  # call-arg: Missing named argument "k"
shoal.anonymize(people, k=2)  # call-arg: Missing named argument "quasi"
shoal.anonymize(people, k="2", quasi=["age"])  # arg-type: expected "int"
shoal.compare(people, quasy=["age"])  # call-arg: did you mean "quasi"
shoal.plan(people, k="3")  # arg-type: expected
shoal.anonymize(people, k=2, quasy=["age"])  # call-arg: did you mean "quasi"
shoal.anonymize(people, k=2, quasi=["age"], model=[])  # call-arg: did you mean "models"
shoal.anonymize(people, k=2, quasi=["age"], rest="keep")  # arg-type: expected "Literal
shoal.anonymize(people, k=2, quasi=["age"], time="5s")  # arg-type: expected "float | None"
shoal.anonymize(people, 2, ["age"])  # call-arg: Too many positional arguments
shoal.anonymize(people, k=2, quasi=["age"], algorithm=3)  # arg-type: expected "AlgorithmLike | str"
shoal.anonymize(people, k=2, quasi=["age"], value_range={"age": 3})  # dict-item: "str": "int"
shoal.anonymize(people, k=2, quasi=["age"], hierarchy={"age": 5})  # dict-item: "str": "int"
shoal.algorithms.Mondrian(cuts="loose")  # arg-type: expected "Literal['strict', 'relaxed']"
shoal.algorithms.Mondriaan()  # attr-defined: has no attribute "Mondriaan"
shoal.hierarchies.Ranges("five")  # arg-type: expected "float"
shoal.verify(people, people, algorithm="auto")  # call-arg: Unexpected keyword argument
shoal.anatomize(people, quasi=["age"], sensitive="ill")  # call-arg: Missing named argument "l"
shoal.utility(people, people, target="ill", fold=5)  # call-arg: did you mean "folds"
shoal.build_hierarchy(people, "age", 5)  # arg-type: expected "str | Recipe"
shoal.Job(k=2, quasi=["age"], seed="x")  # arg-type: expected "int | None"
release = shoal.anonymize(people, k=2, quasi=["age"])
release.frame.height.nothing  # attr-defined: "int" has no attribute "nothing"
release.frames  # attr-defined: has no attribute "frames"
