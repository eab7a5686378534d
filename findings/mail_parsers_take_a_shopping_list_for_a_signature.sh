#!/usr/bin/env bash
# email-reply-parser 2.3.9 and node-email-reply-parser 0.1.4 (npm), email-reply-parser 0.5.12 and mail-parser-reply 1.36
# (PyPI): of five plain mails, no two of them keep the same.
#
# Guess: A library that takes the new words out of a mail, for a talk that is kept or answered by a model, leaves out
# the quoted mail and the signature, and rather keeps too much than loses words of the sender.
# Seen: For two, a line that begins with a dash and a letter begins the signature, so "-milk" is gone, and all behind;
# for three, a line of dashes between two topics does so. Of a mail that begins with "On Monday, as I wrote:", Python's
# first keeps nothing, and the German line above a quotation it takes for the sender's own. Whatever stands below "Sent
# from my iPhone" is lost in three of four. The text is shorter or empty, and no error is raised.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check email-reply-parser==0.5.12 mail-parser-reply==1.36
npm install --silent --no-fund --no-audit --ignore-scripts --omit=optional email-reply-parser@2.3.9 \
    node-email-reply-parser@0.1.4 > /dev/null
cat > mails.json <<'MAILS'
{
  "list": "Please buy:\n\n-milk\n-figs\n",
  "topics": "I come to Oslo.\n\n---\n\nThe rent is 900.\n",
  "wrote": "On Monday, as I wrote:\nI live in Oslo.\n",
  "german": "Ja.\n\nAm Mo., 30. Nov. 2026 um 09:00 Uhr schrieb Bob <bob@example.com>:\n\n> Oslo?\n",
  "phone": "I live in Oslo.\n\nSent from my iPhone\n\nP.S. The PIN is 4711.\n"
}
MAILS
cat > program.mjs <<'PROGRAM'
import { readFileSync } from "node:fs";
import EmailReplyParser from "email-reply-parser";
import parse from "node-email-reply-parser";

const parsers = {
  "email-reply-parser@2.3.9": (mail) => new EmailReplyParser().read(mail).getVisibleText(),
  "node-email-reply-parser@0.1.4": (mail) => parse(mail).getVisibleText(),
};
for (const [name, keep] of Object.entries(parsers)) {
  for (const [kind, mail] of Object.entries(JSON.parse(readFileSync("mails.json")))) {
    console.log(`${name}, ${kind}:`, keep(mail).replace(/\s+/g, " ").trim());
  }
}
PROGRAM
cat > program.py <<'PROGRAM'
import json

import email_reply_parser
import mailparser_reply

parser = mailparser_reply.EmailReplyParser(languages=["en", "de"])
parsers = {
    "email-reply-parser==0.5.12": email_reply_parser.EmailReplyParser.parse_reply,
    "mail-parser-reply==1.36": lambda mail: parser.parse_reply(text=mail),
}
for name, keep in parsers.items():
    for kind, mail in json.load(open("mails.json")).items():
        print(f"{name}, {kind}:", *keep(mail).split())
PROGRAM
found=$(node program.mjs && venv/bin/python program.py)
echo $found
[ "$found" = "email-reply-parser@2.3.9, list: Please buy: -milk -figs
email-reply-parser@2.3.9, topics: I come to Oslo.
email-reply-parser@2.3.9, wrote: On Monday, as I wrote: I live in Oslo.
email-reply-parser@2.3.9, german: Ja.
email-reply-parser@2.3.9, phone: I live in Oslo.
node-email-reply-parser@0.1.4, list: Please buy:
node-email-reply-parser@0.1.4, topics: I come to Oslo.
node-email-reply-parser@0.1.4, wrote: On Monday, as I wrote: I live in Oslo.
node-email-reply-parser@0.1.4, german: Ja.
node-email-reply-parser@0.1.4, phone: I live in Oslo.
email-reply-parser==0.5.12, list: Please buy:
email-reply-parser==0.5.12, topics: I come to Oslo.
email-reply-parser==0.5.12, wrote:
email-reply-parser==0.5.12, german: Ja. Am Mo., 30. Nov. 2026 um 09:00 Uhr schrieb Bob <bob@example.com>:
email-reply-parser==0.5.12, phone: I live in Oslo.
mail-parser-reply==1.36, list: Please buy: -milk -figs
mail-parser-reply==1.36, topics: I come to Oslo. --- The rent is 900.
mail-parser-reply==1.36, wrote: On Monday, as I wrote: I live in Oslo.
mail-parser-reply==1.36, german: Ja.
mail-parser-reply==1.36, phone: I live in Oslo. Sent from my iPhone P.S. The PIN is 4711." ]
