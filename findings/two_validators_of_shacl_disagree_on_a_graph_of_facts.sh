#!/usr/bin/env bash
# pyshacl 0.40.1 with rdflib 7.6.0 (PyPI) and rdf-validate-shacl 0.6.5 with n3 2.13.12 (npm): they disagree on each of
# five notes.
#
# Guess: SHACL is a standard with a test suite: the same facts and the same shapes give the same violations, so the
# check before a fact is stored can run in Python or in the browser.
# Seen: JavaScript accepts 30 February as a date, and counts 𝐀, a bold letter, as two characters, as UTF-16 does. Python
# accepts a date with an hour as a date, and "1" as a boolean in a list of true and false. It also finds that a meeting
# begins at 10 without a zone before it ends at 11 in UTC, although the zone can be any. JavaScript refuses these three,
# and Python refuses the first two. So a fact that passes one check fails the other.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pyshacl==0.40.1 rdflib==7.6.0
cd "$folder"
npm install --silent --no-fund --no-audit rdf-validate-shacl@0.6.5 n3@2.13.12 > /dev/null
prefixes='@prefix : <http://e/> . @prefix sh: <http://www.w3.org/ns/shacl#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .'
cat > facts.ttl <<FACTS
$prefixes
:leap a :Note ; :day "1990-02-30"^^xsd:date .
:hour a :Note ; :day "1990-01-05T10:00:00"^^xsd:date .
:bold a :Note ; :name "𝐀" .
:one a :Note ; :vegan "1"^^xsd:boolean .
:zone a :Note ; :from "2026-01-01T10:00:00"^^xsd:dateTime ; :to "2026-01-01T11:00:00Z"^^xsd:dateTime .
FACTS
cat > shapes.ttl <<SHAPES
$prefixes
:Shape a sh:NodeShape ; sh:targetClass :Note ;
    sh:property [ sh:path :day ; sh:datatype xsd:date ] , [ sh:path :name ; sh:minLength 2 ] ,
        [ sh:path :vegan ; sh:in ( true false ) ] , [ sh:path :from ; sh:lessThan :to ] .
SHAPES
cat > program.py <<'PROGRAM'
import logging

import pyshacl
import rdflib

logging.disable()
facts, shapes = (rdflib.Graph().parse(f"{name}.ttl") for name in ("facts", "shapes"))
_, report, _ = pyshacl.validate(facts, shacl_graph=shapes)
print("Python refuses", *sorted(node[len("http://e/") :] for node in report.objects(None, rdflib.SH.focusNode)))
PROGRAM
cat > program.mjs <<'PROGRAM'
import { readFileSync } from "node:fs";
import { Parser, Store } from "n3";
import Validator from "rdf-validate-shacl";

const read = (name) => new Store(new Parser().parse(readFileSync(`${name}.ttl`, "utf8")));
const report = await new Validator(read("shapes")).validate(read("facts"));
const nodes = report.results.map(({ focusNode }) => focusNode.value ?? focusNode.term.value);
console.log("JavaScript refuses", ...nodes.map((node) => node.slice("http://e/".length)).sort());
PROGRAM
found=$("$folder/venv/bin/python" program.py 2> /dev/null && node program.mjs)
echo "$found"
[ "$found" = "Python refuses bold leap
JavaScript refuses hour one zone" ]
