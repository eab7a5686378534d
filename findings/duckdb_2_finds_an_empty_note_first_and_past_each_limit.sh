#!/usr/bin/env bash
# duckdb 1.5.5 and 2.0.1: a note whose vector is zero comes last in a search by cosine similarity in 1.5. In 2.0 it
# comes first and passes a limit of 0.9.
#
# Guess: 2.0 reads the file of 1.5, and a search of its notes finds the same ones as before. A note without a known word
# ("ok", an emoji), whose vector is zero if an embedder counts words, is like nothing; a limit of 0.9 keeps it out.
# Seen: In 1.5 its similarity is -1, so it is last. In 2.0 it is NaN, which DuckDB sorts above every number: the empty
# note is the best hit, passes >= 0.9, is the result of `max_by`, and makes the average NaN. No error is raised. By
# distance instead of similarity, it is last in both, so two searches that used to agree now differ. (The release notes
# of 2.0 mention changed regular expressions and divisions, but not this.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for version in 1.5.5 2.0.1; do
    python3 -m venv "$folder/$version"
    "$folder/$version/bin/pip" install --quiet --disable-pip-version-check duckdb==$version
done
cat > "$folder/program.py" <<'PROGRAM'
import sys

import duckdb

path = sys.argv[1]
connection = duckdb.connect(path)
if duckdb.__version__ < "2":
    connection.execute("CREATE TABLE notes(text VARCHAR, vector FLOAT[2])")
    connection.execute("INSERT INTO notes VALUES ('tea', [1, 0]), ('rent', [0, 1]), ('ok', [0, 0]), ('figs', [1, 1])")
    connection.execute("""
        CREATE VIEW found AS SELECT text, array_cosine_similarity(vector, [1, 0]::FLOAT[2]) AS similarity,
            array_cosine_distance(vector, [1, 0]::FLOAT[2]) AS distance FROM notes
    """)


def ask(query):
    return " ".join(str(row[0]) for row in connection.execute(query).fetchall())


print(
    duckdb.__version__,
    "best first: " + ask("SELECT text FROM found ORDER BY similarity DESC"),
    "above 0.9: " + ask("SELECT text FROM found WHERE similarity >= 0.9"),
    "best: " + ask("SELECT max_by(text, similarity) FROM found"),
    "by distance: " + ask("SELECT text FROM found ORDER BY distance"),
    sep=", ",
)
PROGRAM
found=$(for version in 1.5.5 2.0.1; do "$folder/$version/bin/python" "$folder/program.py" "$folder/notes.duckdb"; done)
echo "$found"
[ "$found" = "1.5.5, best first: tea figs rent ok, above 0.9: tea, best: tea, by distance: tea figs rent ok
2.0.1, best first: ok tea figs rent, above 0.9: tea ok, best: ok, by distance: tea figs rent ok" ]
