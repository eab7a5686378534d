#!/usr/bin/env bash
# pyright 1.1.414: of a file in a folder whose name begins with a dot, it checks nothing, and passes it.
#
# Guess: The defaults of `exclude` are for the search of a project; a file that the command line names is checked.
# Seen: "0 errors" and exit status 0, with a wrong assignment in the file; only `--stats` tells that no file was
#   checked. The same file in a folder without a dot is an error. A check in CI that names such files can never fail.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'pyright[nodejs]==1.1.414'
mkdir "$folder/.links" "$folder/links"
echo 'number: int = "one"' | tee "$folder/.links/program.py" > "$folder/links/program.py"
cd "$folder"
hidden=$(venv/bin/pyright --stats .links/program.py) && status=0 || status=$?
plain=$(venv/bin/pyright links/program.py) && plainly=0 || plainly=$?
echo "pyright==1.1.414: exit $status: $(grep -E "errors|checked" <<< "$hidden")"
echo "without the dot: exit $plainly: $plain"
[ "$status" = 0 ] && [ "$plainly" = 1 ]
grep -q "Total files checked: 0" <<< "$hidden"
grep -q "0 errors" <<< "$hidden"
