#!/usr/bin/env bash
# agno 3.1.10: its entity memory keeps two people as one, if their names in Hindi differ in vowels, or in Japanese by
# the small strokes that make a b of an h.
#
# Guess: Two names are two entities; only accents are folded, so that Sofia Munoz is found as Sofía Muñoz. (The
# docstring says that letters are kept, whatever their script, since people who are merged cannot be told apart again.)
# Seen: The key is the name without all combining marks. In Hindi, Bengali and Tamil the vowels after a consonant are
# such marks, and in Japanese the strokes of ビ are, which make ヒ ("hi") sound "bi". So what is noted of Mona is added to
# Mina, and of Hill to Bill; the second name becomes another name of the first, and a search for it shows the first, who
# is now allergic and has a cat. In English, Mina and Mona are two.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --no-compile --disable-pip-version-check agno==3.1.10 \
    sqlalchemy==2.1.9 greenlet==3.5.6
cd "$folder"
cat > program.py <<'PROGRAM'
from agno.db.sqlite import SqliteDb
from agno.learn.config import EntityMemoryConfig
from agno.learn.stores.entity_memory import EntityMemoryStore

names = {
    "English": ("Mina", "Mona"),
    "German": ("Müller", "Möller"),
    "Hindi": ("मीना", "मोना"),
    "Bengali": ("মিনা", "মোনা"),
    "Tamil": ("மீனா", "மோனா"),
    "Japanese": ("ビル", "ヒル"),
    "Chinese": ("李梅", "李美"),
}
for language, (first, second) in names.items():
    memory = EntityMemoryStore(config=EntityMemoryConfig(db=SqliteDb(db_file=f"{language}.db"), namespace="global"))
    memory.remember_about(entity=first, entity_type="person", facts=["Is allergic to nuts."])
    memory.remember_about(entity=second, entity_type="person", facts=["Has a cat."])
    found = memory.search(query=second, namespace="global")
    print(language, *(f"{one.name}: " + " ".join(fact["content"] for fact in one.facts) for one in found))
PROGRAM
found=$("$folder/venv/bin/python" -W ignore program.py 2> /dev/null)
echo "agno==3.1.10: $found"
[ "$found" = "English Mona: Has a cat.
German Möller: Has a cat.
Hindi मीना: Is allergic to nuts. Has a cat.
Bengali মিনা: Is allergic to nuts. Has a cat.
Tamil மீனா: Is allergic to nuts. Has a cat.
Japanese ビル: Is allergic to nuts. Has a cat.
Chinese 李美: Has a cat." ]
