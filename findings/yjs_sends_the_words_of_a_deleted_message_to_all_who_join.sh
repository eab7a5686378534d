#!/usr/bin/env bash
# yjs 13.6.33 (npm) and pycrdt 0.14.13: in a shared chat with an undo manager, the words of a deleted message are sent
# to everyone who joins later, even after the undo manager is cleared and gone.
#
# Guess: A yjs document drops the words of a deleted item and keeps only that there was one. An undo manager keeps them
# as long as it can bring them back: until `clear`, or until it is gone.
# Seen: Without an undo manager, the words are gone at once, in both libraries. With one, they stay in each update that
# the document gives out: after `clear`, after a further message, and after `destroy` (`del` in pycrdt). Nobody can
# undo, no list shows the message, and its PIN is in the bytes that a newcomer gets and that a store saves. A document
# made anew from such an update no longer gives it out.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check pycrdt==0.14.13
npm install --silent --no-fund --no-audit yjs@13.6.33 > /dev/null
cat > program.mjs <<'PROGRAM'
import * as Y from "yjs";

const sent = (doc) => Buffer.from(Y.encodeStateAsUpdate(doc)).includes("4711");
for (const undoable of [false, true]) {
  const doc = new Y.Doc();
  const chat = doc.getArray("chat");
  const undo = undoable ? new Y.UndoManager(chat) : undefined;
  chat.push(["The PIN is 4711."]);
  chat.delete(0);
  const found = [sent(doc)];
  undo?.clear();
  chat.push(["Hi!"]);
  found.push(sent(doc));
  undo?.destroy();
  chat.push(["Bye!"]);
  const copy = new Y.Doc();
  Y.applyUpdate(copy, Y.encodeStateAsUpdate(doc));
  found.push(sent(doc), sent(copy));
  console.log(undoable ? "yjs with undo:" : "yjs:", ...found, chat.toArray().join(" "));
}
PROGRAM
cat > program.py <<'PROGRAM'
from pycrdt import Array, Doc, UndoManager


def sent(doc):
    return b"4711" in doc.get_update()


for undoable in (False, True):
    doc = Doc()
    chat = doc.get("chat", type=Array)
    undo = UndoManager(scopes=[chat]) if undoable else None
    chat.append("The PIN is 4711.")
    del chat[0]
    found = [sent(doc)]
    if undo:
        undo.clear()
    chat.append("Hi!")
    found.append(sent(doc))
    del undo
    chat.append("Bye!")
    copy = Doc()
    copy.apply_update(doc.get_update())
    found += [sent(doc), sent(copy)]
    print("pycrdt with undo:" if undoable else "pycrdt:", *found, *chat)
PROGRAM
found=$(node program.mjs && venv/bin/python program.py)
echo "$found"
[ "$found" = "yjs: false false false false Hi! Bye!
yjs with undo: true true true false Hi! Bye!
pycrdt: False False False False Hi! Bye!
pycrdt with undo: True True True False Hi! Bye!" ]
