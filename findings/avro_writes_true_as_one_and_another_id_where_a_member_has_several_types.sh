#!/usr/bin/env bash
# avro 1.12.2 beside fastavro 1.13.1: where a value can be of several types, avro writes true as 1.0, and an id of
# nineteen digits as a different id.
#
# Guess: A union keeps the type of each value, as the arguments of a tool call need: true is a boolean, and a whole
# number is a long. Both libraries write the same values; at most, they differ where a value fits two types of the union
# equally well.
# Seen: avro takes the last type in the union that accepts the value, and its double accepts whole numbers and booleans.
# With "double" at the end, the id, which is above 2^53, is rounded (its last digits, 789, become 768), true is 1.0, and
# 3 is 3.0. With "boolean" at the end, true stays true, but the id is still rounded. No error is raised. The wrong
# values are in the file, so both libraries read the same ones. fastavro keeps every value in both orders. (Reported in
# 2019 for a library that uses avro.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check avro==1.12.2 fastavro==1.13.1
cat > "$folder/program.py" <<'PROGRAM'
import io
import json

import avro.datafile
import avro.io
import avro.schema
import fastavro


def with_avro(schema, record):
    file = io.BytesIO()
    writer = avro.datafile.DataFileWriter(file, avro.io.DatumWriter(), avro.schema.parse(json.dumps(schema)))
    writer.append(record)
    writer.flush()
    return file


def with_fastavro(schema, record):
    file = io.BytesIO()
    fastavro.writer(file, fastavro.parse_schema(schema), [record])
    return file


arguments = {"urgent": True, "to": 1234567890123456789, "times": 3, "price": 0.5, "name": "Ann", "note": None}
for types in (["null", "boolean", "string", "long", "double"], ["null", "string", "long", "double", "boolean"]):
    field = {"name": "arguments", "type": {"type": "map", "values": types}}
    schema = {"type": "record", "name": "Call", "fields": [field]}
    for write in (with_avro, with_fastavro):
        file = write(schema, {"arguments": arguments})
        file.seek(0)
        read = list(fastavro.reader(file))
        file.seek(0)
        assert repr(read) == repr(list(avro.datafile.DataFileReader(file, avro.io.DatumReader())))
        values = read[0]["arguments"]
        print(write.__name__, types[-1], *({**values, "to": int(values["to"])}.values()))
PROGRAM
found=$("$folder/venv/bin/python" "$folder/program.py")
echo "$found"
[ "$found" = "with_avro double 1.0 1234567890123456768 3.0 0.5 Ann None
with_fastavro double True 1234567890123456789 3 0.5 Ann None
with_avro boolean True 1234567890123456768 3.0 0.5 Ann None
with_fastavro boolean True 1234567890123456789 3 0.5 Ann None" ]
