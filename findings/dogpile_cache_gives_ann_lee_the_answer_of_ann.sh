#!/usr/bin/env bash
# dogpile.cache 1.5.0: a cached function of a user and a question answers one user with what another was told.
#
# Guess: `cache_on_arguments` keeps results by the arguments: another user is another key, whatever the question is; so
# `functools.cache` does it.
# Seen: The key is the arguments as text with a space between them, so it has no borders: Ann who asks "Lee owes what?"
# and Ann Lee who asks "owes what?" are one key, in memory and in a file. So are Ann with the tags "tea" and "milk", and
# Ann Tea with "milk". With quotation marks around each argument (`to_str=repr`), both get an answer of their own.
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
