#!/usr/bin/env bash
# redis 8.1.0: `RedisClusterException` is no `RedisError`.
#
# Guess: `except redis.RedisError` catches whatever the client of a cluster raises.
# Seen: A cluster none of whose servers can be reached raises `RedisClusterException`, whose only base is `Exception`.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check redis==8.1.0
cat > "$folder/program.py" <<'PROGRAM'
import socket

from redis import RedisError
from redis.cluster import RedisCluster
from redis.exceptions import RedisClusterException

with socket.socket() as one:  # nobody listens on this port
    one.bind(("127.0.0.1", 0))
    port = one.getsockname()[1]
try:
    RedisCluster(host="127.0.0.1", port=port)
except RedisError:
    print("a RedisError")
except RedisClusterException as error:
    print(type(error).__name__, type(error).__bases__[0].__name__)
PROGRAM
found=$(cd "$folder" && "$folder/venv/bin/python" program.py)
echo "redis==8.1.0: $found"
[ "$found" = "RedisClusterException Exception" ]
