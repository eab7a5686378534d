"""Makes texts of eight kinds, and short turns: a set to fit the estimate's table, and a set to check it."""

import json
import random
import re
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memzoo.benchmarks.transcripts import sample_transcripts

KINDS: tuple[str, ...] = (
    "English",
    "Chinese",
    "Japanese",
    "Korean",
    "German",
    "code",
    "JSON",
    "numbers",
    "short turns",
)
_NAMES = "Anna Bruno Chen Dilek Emil Farah Goran Hana Igor Jale".split()
_SHORT: tuple[str, ...] = (
    "ok|Fine.|Yes please.|no thanks|Hi!|Good.|Sure, go on.|Thanks!|Done.|Why?|And now?|I see.",
    "okay|Great.|Not yet|Hello there|Right.|Of course!|Maybe later.|cool|What else?|Got it.|Bye!|Yes.",
)
_CODE = (("json/decoder.py", "argparse.py", "heapq.py"), ("typing.py", "http/client.py", "shutil.py"))
_GERMAN = ("django", "wagtail")


def make_texts(part: int, environment: Path, data: Path | None = None) -> dict[str, list[str]]:
    """Return a set of texts by kind.

    Args:
        part: 0 for the set to fit, 1 for the set to check.
        environment: An environment with chatterbot-corpus, django and wagtail; the German texts are translations of the
            latter two.
        data: A folder with LoCoMo and MemoryBank, which add to the bundled conversations.
    """
    base = Path(sysconfig.get_paths()["stdlib"])
    code = (one for name in _CODE[part] for one in (base / name).read_text(encoding="utf-8").split("\n\n\n"))
    # The bundled conversation is the hardest Chinese, so it is checked alone.
    more_chinese = _bank(data, "cn", part) if data else [] if part else _dialogues(environment, "chinese", part)
    made: tuple[list[str], ...] = (
        [*_said("en", part), *(_locomo(data, part) if data else ()), *(_bank(data, "en", part) if data else ())],
        [*_said("zh", part), *more_chinese],
        list(_dialogues(environment, "japanese", part))[:400],
        list(_dialogues(environment, "korean", part))[:400],
        list(_translations(environment, _GERMAN[part]))[:400],
        [one for one in code if one.strip()][:60],
        [_result(random.Random(f"{part} {number}"), number) for number in range(96)],  # noqa: S311 - any
        [_count(random.Random(f"{part} {number}"), number % 4 + 4 * part) for number in range(96)],  # noqa: S311
        [str(one) for one in _SHORT[part].split("|") * 8],
    )
    return dict(zip(KINDS, made, strict=True))


def _said(language: str, part: int) -> Iterator[str]:
    """Yield the texts of one half of a bundled conversation: the first for part 0, the second for part 1."""
    exchanges = sample_transcripts(language)[0].exchanges
    half = len(exchanges) // 2
    for exchange in exchanges[half:] if part else exchanges[:half]:
        yield from (str(message["content"]) for message in exchange.messages)


def _locomo(data: Path, part: int) -> list[str]:
    found: list[str] = []
    for one in json.loads((data / "locomo" / "dev.json").read_text(encoding="utf-8"))[part * 2 : part * 2 + 2]:
        sessions = (value for name, value in one["conversation"].items() if re.fullmatch(r"session_\d+", name))
        found += [turn["text"] for session in sessions for turn in session]
    return found[:500]


def _bank(data: Path, language: str, part: int) -> list[str]:
    users: dict[str, Any] = json.loads((data / "memorybank" / f"memory_bank_{language}.json").read_text("utf-8"))
    some = list(users.values())[part * 8 : part * 8 + 4]
    said = (one for user in some for day in user["history"].values() for one in day)
    return [text for one in said for text in (one["query"], one["response"])][:400]


def _dialogues(environment: Path, language: str, part: int) -> Iterator[str]:
    """Yield the texts of every other file of chatterbot-corpus in a language, beginning with file `part`."""
    paths = sorted(environment.glob(f"lib/python3*/site-packages/chatterbot_corpus/data/{language}/*.yml"))
    for path in paths[part::2]:
        yield from re.findall(r"^(?:- )?  ?- (.+)", path.read_text(encoding="utf-8"), re.MULTILINE)


def _translations(environment: Path, package: str) -> Iterator[str]:
    for path in sorted(environment.glob(f"lib/python3*/site-packages/{package}/**/de/LC_MESSAGES/*.po")):
        for found in re.finditer(r'^msgstr ((?:".*"\n)+)', path.read_text(encoding="utf-8"), re.MULTILINE):
            text = "".join(json.loads(line) for line in found[1].splitlines())
            if len(text) > 40 and "Content-Type" not in text:
                yield text


def _result(dice: random.Random, number: int) -> str:
    """Return a made-up result of a tool, as JSON; `number` chooses its kind."""
    made: list[Any] = [
        {
            "latitude": round(dice.uniform(-80, 80), 4),
            "timezone": "Europe/Oslo",
            "hourly": {
                "time": [f"2026-11-{dice.randint(1, 28):02}T{hour:02}:00" for hour in range(8)],
                "temperature_2m": [round(dice.uniform(-9, 25), 1) for _ in range(8)],
            },
        },
        {
            "orders": [
                {
                    "id": dice.randint(10_000, 99_999),
                    "customer": dice.choice(_NAMES),
                    "total": round(dice.uniform(3, 900), 2),
                    "status": dice.choice(["open", "paid", "shipped"]),
                }
                for _ in range(5)
            ],
            "has_more": dice.random() < 0.5,
        },
        [
            {"name": f"{name} Lind", "email": f"{name.lower()}{dice.randint(1, 99)}@example.com", "roles": ["admin"]}
            for name in dice.sample(_NAMES, 4)
        ],
        {
            "results": [
                {
                    "title": dice.choice(["How to bake bread", "The weather in Bergen", "Train timetable"]),
                    "url": f"https://example.org/{dice.choice(['a', 'news', 'wiki'])}/{dice.randint(1, 9_999)}",
                    "score": round(dice.random(), 3),
                    "snippet": "Bread needs flour, water, salt and time; a sourdough takes two days.",
                }
                for _ in range(3)
            ]
        },
    ]
    return json.dumps(made[number % 4], indent=2 if number % 3 else None)


def _count(dice: random.Random, number: int) -> str:
    """Return an English sentence with made-up numbers; `number` chooses the sentence."""
    date = f"{dice.randint(2018, 2027)}-{dice.randint(1, 12):02}-{dice.randint(1, 28):02}"
    amount, small = f"{dice.randint(1, 9)},{dice.randint(100, 999)}.{dice.randint(10, 99)}", dice.randint(2, 99)
    sentences = (
        f"On {date} order no. {dice.randint(10_000, 999_999)} of {small} items cost {amount} euros.",
        f"My phone number is +{small} {dice.randint(100, 999)} {dice.randint(1_000, 9_999)}, room {small}.",
        f"The balance went from {dice.randint(1_000, 99_999)} to {amount} between 8:15 and {small} minutes later.",
        f"Invoice {date[:4]}-{dice.randint(100, 9_999)}: {small} x {dice.random() * 90:.2f} = {amount}, due now.",
        f"Flight LH{dice.randint(100, 9_999)} leaves at 7:{dice.randint(10, 59)} from gate {small} on {date}.",
        f"We sold {dice.randint(100, 99_999)} units in Q3 {date[:4]}, {dice.random() * 40:.1f}% more than before.",
        f"My account is {dice.randint(10**7, 10**10)}, the code {dice.randint(100_000, 999_999)}, I paid ${amount}.",
        f"She ran {dice.random() * 42:.2f} km in 3:{dice.randint(10, 59)}:{dice.randint(10, 59)} at {small} beats.",
    )
    return sentences[number]
