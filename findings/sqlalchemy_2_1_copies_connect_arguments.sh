#!/usr/bin/env bash
# SQLAlchemy 2.1.9: a listener of `do_connect` gets a new copy of the arguments for each connection.
#
# Guess: The dict is that of the engine, as in 2.0: an argument that a listener takes out of it is gone for later connections.
# Seen: Each connection comes with all arguments again.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check sqlalchemy==2.1.9
cat > "$folder/program.py" <<'PROGRAM'
from sqlalchemy import NullPool, create_engine, event

engine = create_engine("sqlite:///chat.db", connect_args={"timeout": 5}, poolclass=NullPool)


@event.listens_for(engine, "do_connect")
def connect(dialect, record, args, kwargs):
    print("timeout" in kwargs, end=" ")
    kwargs.pop("timeout", None)


for _ in range(2):
    engine.connect().close()
PROGRAM
found=$(cd "$folder" && "$folder/venv/bin/python" program.py)
echo "sqlalchemy==2.1.9: $found"
[ "$found" = "True True " ]
