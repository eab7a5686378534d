#!/usr/bin/env bash
# cn2an 0.5.24 and pythainlp 5.4.0 (PyPI), nzh 1.0.14 (npm): a sum of money, as people say it, becomes another sum.
#
# Guess: A library that turns words into numbers knows the spoken language. In Chinese and in Thai, "two ten-thousands
# five" is 25,000, because speakers leave out the last unit; Chinese marks the gap in 20,005 with a zero. Words that the
# library does not know are an error.
# Seen: cn2an gets them right. nzh reads 二万五 as 20,005, the same as 二万零五. For 两万五, with the word for two that is usual
# before a unit, it gives 5; 一千五, a rent of 1,500, is 1,005. pythainlp gives 1,005 and 20,005 for such sums in Thai. (In
# formal Thai, the words for the second can also mean 20,005.) None of them raises an error, so a memory that keeps
# numbers keeps these.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check cn2an==0.5.24 pythainlp==5.4.0
npm install --silent --no-fund --no-audit nzh@1.0.14 > /dev/null
cat > program.py <<'PROGRAM'
import sys

import cn2an
from pythainlp.util import words_to_num

print("cn2an", *(int(cn2an.cn2an(said, "smart")) for said in sys.argv[1:]))
print("pythainlp", *(words_to_num(said) for said in ("หนึ่งพันห้าร้อย", "พันห้า", "สองหมื่นห้า")))
PROGRAM
cat > program.mjs <<'PROGRAM'
import Nzh from "nzh";

console.log("nzh", ...process.argv.slice(2).map((said) => Nzh.cn.decodeS(said)));
PROGRAM
said="一千五百 一千五 二万零五 二万五 两万五"
found=$(PYTHAINLP_DATA_DIR=$folder venv/bin/python -W ignore program.py $said && node program.mjs $said)
echo "$found"
[ "$found" = "cn2an 1500 1500 20005 25000 25000
pythainlp 1500 1005 20005
nzh 1500 1005 20005 20005 5" ]
