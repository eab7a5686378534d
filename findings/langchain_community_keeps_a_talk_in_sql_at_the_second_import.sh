#!/usr/bin/env bash
# langchain-community 0.4.2 with SQLAlchemy 2.1.9, which pip installs with it today: its SQL history cannot be imported
# at the first try, but can at the second.
#
# Guess: `SQLChatMessageHistory` needs SQLAlchemy and a database driver. For SQLite both are there, since the package
# requires SQLAlchemy "<3.0.0,>=1.4.0", and nothing in the program is asynchronous. An import that fails once fails
# again.
# Seen: The module imports the asynchronous engine too. SQLAlchemy 2.0 installed greenlet for it; 2.1 leaves that to an
# extra, and this package does not ask for the extra. So the import is an ImportError. SQLAlchemy remembers that it has
# looked for greenlet and complains only once: the second import works, and the conversation is saved. A server that
# imports the class when it needs it fails at its first request only, and a test passes if another one failed before it.
# `langchain_classic.indexes` behaves the same way. (SQLAlchemy's notes on 2.1 say that greenlet is no longer
# installed.)
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
