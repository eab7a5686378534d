#!/usr/bin/env bash
# tantivy 0.27.0: a search for messages since 10:00:00.5 does not find the one of 10:00:00.7, and a search up to
# 10:00:00.2 does.
#
# Guess: A date field gives back the time that was put in, to the microsecond, and is searched and sorted by it. To go
# on, a reader asks for everything after the time of the last message seen.
# Seen: The time comes back whole, but it is indexed by the second. The time in the question is not cut, so 0.7, which
# counts as 0, is not after 0.5: a message in the same second as the last one seen is never found. A search up to 0.2
# finds 0.7. One exact time finds the whole second in the query language, and nothing as a `term_query`. Sorted by time,
# an answer can come before its question. `add_date_field` has no option for it (the Rust library has one).
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check tantivy==0.27.0
cat > "$folder/program.py" <<'PROGRAM'
from datetime import datetime, timedelta, timezone

import tantivy

TEN = datetime(2026, 11, 30, 10, tzinfo=timezone.utc)
builder = tantivy.SchemaBuilder()
builder.add_text_field("text", stored=True)
builder.add_date_field("at", stored=True, indexed=True, fast=True)
index = tantivy.Index(builder.build())
writer = index.writer(num_threads=1)
for text, milliseconds in (("thanks", 1200), ("answer", 700), ("question", 300), ("hello", 0)):
    writer.add_document(tantivy.Document(text=text, at=TEN + timedelta(milliseconds=milliseconds)))
writer.commit()
index.reload()
searcher = index.searcher()


def found(query, **options):
    return [searcher.doc(address) for _, address in searcher.search(query, 9, **options).hits]


def texts(query):
    if isinstance(query, str):
        query = index.parse_query(query)
    return " ".join(sorted(message["text"][0] for message in found(query))) or "nothing"


def at(milliseconds):
    return f"{TEN + timedelta(milliseconds=milliseconds):%Y-%m-%dT%H:%M:%S.%fZ}"


everything = found(tantivy.Query.all_query(), order_by_field="at", order=tantivy.Order.Asc)
print("sorted:", *(f"{message['text'][0]} {message['at'][0]:%S.%f}" for message in everything))
print("since 0.5:", texts(f"at:[{at(500)} TO {at(9000)}]"))
print("after 0.3:", texts(f"at:{{{at(300)} TO {at(9000)}]"))
print("up to 0.2:", texts(f"at:[{at(0)} TO {at(200)}]"))
print("at 0.3:", texts(f'at:"{at(300)}"'))
print("at 0.3, as a term:", texts(tantivy.Query.term_query(index.schema, "at", TEN + timedelta(milliseconds=300))))
PROGRAM
found=$("$folder/venv/bin/python" "$folder/program.py")
echo "$found"
[ "$found" = "sorted: answer 00.700000 question 00.300000 hello 00.000000 thanks 01.200000
since 0.5: thanks
after 0.3: thanks
up to 0.2: answer hello question
at 0.3: answer hello question
at 0.3, as a term: nothing" ]
