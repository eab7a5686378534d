#!/usr/bin/env bash
# pyturso 0.8.3 beside SQLite 3.54.1 (in apsw 3.54.1.0): Turso's list of threads shows the first message of each beside
# the time of the last.
#
# Guess: Turso reads and writes SQLite's files, and answers SQLite's queries as SQLite does, or refuses them. SELECT
# thread, text, max(at) ... GROUP BY thread, a common query for a list of chats, gives the text of the message with that
# time, as SQLite's manual says.
# Seen: Turso gives the text of the first row of each group, with the largest time. So a chat's preview is its first
# message: the wrong claim in place of its correction. No error says so. It is the same without GROUP BY. A window
# function is right in both. (Known upstream: issues 3444 and 5545 of turso, open.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pyturso==0.8.3 apsw==3.54.1.0
cat > "$folder/program.py" <<'PROGRAM'
import sys

import apsw
import turso

path = sys.argv[1]
writer = apsw.Connection(path)
writer.execute("CREATE TABLE messages(id INTEGER PRIMARY KEY, thread TEXT, text TEXT, at TEXT)")
writer.executemany(
    "INSERT INTO messages(thread, text, at) VALUES (?, ?, ?)",
    [
        ("Ann", "I eat nuts.", "10:00"),
        ("Bob", "Hi!", "10:01"),
        ("Ann", "No nuts, please!", "10:02"),
        ("Bob", "Bye!", "10:03"),
    ],
)
writer.close()
QUESTIONS = {
    "threads": "SELECT thread, text, max(at) FROM messages GROUP BY thread ORDER BY thread",
    "newest": "SELECT thread, text, max(at) FROM messages",
    "window": """
        SELECT thread, text, at FROM (
            SELECT *, row_number() OVER (PARTITION BY thread ORDER BY at DESC) AS place FROM messages
        ) WHERE place = 1 ORDER BY thread
    """,
}
for name, connection in (("SQLite", apsw.Connection(path)), ("Turso", turso.connect(path))):
    for question, query in QUESTIONS.items():
        rows = connection.cursor().execute(query).fetchall()
        print(f"{name}, {question}:", "; ".join(" ".join(row) for row in rows))
PROGRAM
found=$("$folder/venv/bin/python" "$folder/program.py" "$folder/chat.db")
echo "$found"
[ "$found" = "SQLite, threads: Ann No nuts, please! 10:02; Bob Bye! 10:03
SQLite, newest: Bob Bye! 10:03
SQLite, window: Ann No nuts, please! 10:02; Bob Bye! 10:03
Turso, threads: Ann I eat nuts. 10:02; Bob Hi! 10:03
Turso, newest: Ann I eat nuts. 10:03
Turso, window: Ann No nuts, please! 10:02; Bob Bye! 10:03" ]
