#!/usr/bin/env bash
# langchain-community 0.4.2 with the SQLAlchemy that it gets today, 2.1.9: its history in SQL can be imported at the
# second try, not at the first.
#
# Guess: `SQLChatMessageHistory` needs SQLAlchemy and a driver of a database. For SQLite both are there, as the package
# requires SQLAlchemy "<3.0.0,>=1.4.0", and nothing in the program is asynchronous. What cannot be imported once cannot
# be imported twice.
# Seen: It imports the asynchronous engine too. SQLAlchemy 2.0 brought greenlet for that, 2.1 leaves it to an extra that
# the package does not ask for: the import is an ImportError. SQLAlchemy then notes that greenlet was looked for, and
# complains no more: the same import works, and the talk is kept. So the first request of a server fails and the others
# do not, and a test passes after another one that failed. `langchain_classic.indexes` is the same. (The notes of
# SQLAlchemy 2.1 say that greenlet is not installed any more.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
install() { "$folder/venv/bin/pip" install --quiet --disable-pip-version-check "$@"; }
install langchain-classic==1.0.8 langchain-community==0.4.2 langchain-core==1.8.3 sqlalchemy==2.1.9
cat > "$folder/program.py" <<'PROGRAM'
import sys

import sqlalchemy


def history():
    from langchain_community.chat_message_histories import SQLChatMessageHistory

    history = SQLChatMessageHistory("ann", connection="sqlite://")
    history.add_user_message("I like figs.")
    return history.messages[0].content


def indexes():
    from langchain_classic.indexes import SQLRecordManager

    return SQLRecordManager.__name__


told = []
for attempt in range(3):
    try:
        told.append({"history": history, "indexes": indexes}[sys.argv[1]]())
    except ImportError as error:
        told.append("no greenlet," if "'greenlet' library is installed" in str(error) else str(error))
print(f"SQLAlchemy {sqlalchemy.__version__}:", *told)
PROGRAM
run() { "$folder/venv/bin/python" -W ignore "$folder/program.py" "$1"; }
found=$(run history && run indexes)
install sqlalchemy==2.0.51 greenlet==3.5.6
found+=" $(run history && run indexes)"
echo $found
failed="SQLAlchemy 2.1.9: no greenlet,"
[ "$(echo $found)" = "$failed I like figs. I like figs. $failed SQLRecordManager SQLRecordManager \
SQLAlchemy 2.0.51: I like figs. I like figs. I like figs. \
SQLAlchemy 2.0.51: SQLRecordManager SQLRecordManager SQLRecordManager" ]
