#!/usr/bin/env bash
# dogpile.cache 1.5.0: a cached function of a user and a question gives one user the answer of another.
#
# Guess: `cache_on_arguments` keeps results by the arguments, as `functools.cache` does: another user is another key,
# whatever the question.
# Seen: The key is the text of the arguments, joined by spaces, so their borders are lost: Ann with the question "Lee
# owes what?" and Ann Lee with the question "owes what?" share a key, in memory and in a file. So do Bob with the tags
# "Tea" and "milk", and Bob Tea with "milk". With quotation marks around each argument (`to_str=repr`), each gets an
# answer of their own.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check dogpile.cache==1.5.0
cat > "$folder/program.py" <<'PROGRAM'
import functools

from dogpile.cache import make_region
from dogpile.cache.util import function_key_generator

quoted = functools.partial(function_key_generator, to_str=repr)
memory = make_region().configure("dogpile.cache.memory")
file = make_region().configure("dogpile.cache.dbm", arguments={"filename": "answers"})
careful = make_region(function_key_generator=quoted).configure("dogpile.cache.memory")
caches = {
    "functools": functools.cache,
    "in memory": memory.cache_on_arguments(),
    "in a file": file.cache_on_arguments(),
    "with repr": careful.cache_on_arguments(),
}


def answer(user, *words):
    return f"told to {user}"


for name, cache in caches.items():
    ask = cache(answer)
    print(f"{name}:", ask("Ann", "Lee owes what?"), "|", ask("Ann Lee", "owes what?"), end=" | ")
    print(ask("Bob", "Tea", "milk"), "|", ask("Bob Tea", "milk"))
PROGRAM
cd "$folder"
found=$(venv/bin/python program.py)
echo "dogpile.cache==1.5.0:" $found
[ "$found" = "functools: told to Ann | told to Ann Lee | told to Bob | told to Bob Tea
in memory: told to Ann | told to Ann | told to Bob | told to Bob
in a file: told to Ann | told to Ann | told to Bob | told to Bob
with repr: told to Ann | told to Ann Lee | told to Bob | told to Bob Tea" ]
