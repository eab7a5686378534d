#!/usr/bin/env bash
# pandas 3.1.1 with fastparquet 2026.9.0, beside pyarrow 26.0.1: of a table of talks that pyarrow wrote, `read_parquet`
# reads no message where fastparquet is installed and pyarrow is not.
#
# Guess: pandas takes the engine that is there, so a small image can do without pyarrow: each reads what the other
# wrote, or refuses it. `messages`, a list of records, is what data sets of talks have.
# Seen: fastparquet reads the column as None in each row, and no error or warning says so: the rows are all there, and
# none has a message. A duration of two seconds becomes the number 2000000. A record becomes a column for each member
# (`user.name`), so `user` is gone. A list of texts is read well. polars and DuckDB read all messages of the same file.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv writer
writer/bin/pip install --quiet --disable-pip-version-check pyarrow==26.0.1 polars==2.1.0 duckdb==2.0.1
python3 -m venv reader
reader/bin/pip install --quiet --disable-pip-version-check pandas==3.1.1 fastparquet==2026.9.0 numpy==2.4.6
cat > write.py <<'PROGRAM'
from datetime import date, timedelta

import duckdb
import polars
import pyarrow
import pyarrow.parquet

talk = {
    "id": 1,
    "tags": ["food"],
    "messages": [{"role": "user", "content": "I eat no nuts."}, {"role": "assistant", "content": "Noted."}],
    "user": {"name": "Ann"},
    "day": date(2026, 11, 30),
    "took": timedelta(seconds=2),
}
pyarrow.parquet.write_table(pyarrow.Table.from_pylist([talk, {**talk, "id": 2}]), "talks.parquet")
roles = [[message["role"] for message in row["messages"]] for row in polars.read_parquet("talks.parquet").to_dicts()]
((found,),) = duckdb.sql("SELECT count(*) FROM (SELECT unnest(messages) FROM 'talks.parquet')").fetchall()
print("polars:", roles[0], "DuckDB:", found, "messages")
PROGRAM
cat > read.py <<'PROGRAM'
import pandas

talks = pandas.read_parquet("talks.parquet")
print("pandas:", len(talks), "talks;", *talks.columns)
print(*talks["messages"], *talks["tags"][0], talks["day"][0], talks["took"][0])
PROGRAM
found=$(writer/bin/python write.py && reader/bin/python -W error read.py)
echo "$found"
[ "$found" = "polars: ['user', 'assistant'] DuckDB: 4 messages
pandas: 2 talks; id tags messages day took user.name
None None food 2026-11-30 00:00:00 2000000" ]
