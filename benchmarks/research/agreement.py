"""How far "answers" agrees with a reader: `python -m memzoo.benchmarks.research agreement`.

`labels/answers.jsonl` has 200 answers, each beside a text, and whether the text says what the answer says, labelled by
reading. A text says an answer if somebody who has nothing else would give it; a date that has to be worked out
("yesterday") is not said. The texts of LoCoMo and RealMem are no part of the project: they are looked for beside it.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from memzoo.benchmarks.measure.answers import answer_found
from memzoo.benchmarks.research.inputs import LOCOMO, refusals
from memzoo.benchmarks.research.tables import show, table
from memzoo.benchmarks.transcripts import load_transcripts, sample_transcripts

__all__ = ["Label", "agreement", "kappa", "labels"]

_LABELS = Path(__file__).with_name("labels") / "answers.jsonl"
_DATA = LOCOMO.parents[1]


class Label(NamedTuple):
    """An answer and a text, as a reader judged them.

    Attributes:
        source: Where the text is from.
        answer: What is looked for.
        text: In which it is looked for.
        said: Whether it is there.
    """

    source: str
    answer: str
    text: str
    said: bool


def agreement(
    data: Annotated[Path, typer.Option(help="The folder with locomo/dev.json and realmem/dev.json.")] = _DATA,
) -> None:
    """Hold "answers" against 200 labels: how often they agree, and Cohen's kappa."""
    with refusals():
        known, missing = labels(data)
    sources = dict.fromkeys(label.source for label in known)
    groups = {source: [label for label in known if label.source == source] for source in sources} | {"all": known}
    rows = [[source, f"{len(group)}", *_figures(_judge_labels(group))] for source, group in groups.items()]
    show(table(["texts from", "pairs", "agree", "kappa", "found, not said", "said, not found"], rows))
    if missing:
        show(f"Left out, as their texts are not beside the project: {', '.join(missing)}.")
    for label in known:
        if bool(answer_found(label.answer, [label.text])) != label.said:
            typer.echo(f"{'said, not found' if label.said else 'found, not said'}: {label.answer!r} in {label.text!r}")


def labels(data: Path) -> tuple[list[Label], list[str]]:
    """Read the labels, and the files whose texts are not there.

    Args:
        data: The folder with the texts that are no part of the project.

    Raises:
        TranscriptError: A file cannot be understood.
    """
    items = [json.loads(line) for line in _LABELS.read_text(encoding="utf-8").splitlines()]
    texts = {"bundled-zh": _sample()}
    missing: list[str] = []
    for name, read in (("locomo", _locomo), ("realmem", _realmem)):
        path = data / name / "dev.json"
        if path.exists():
            texts[name] = read(path)
        else:
            missing.append(str(path))
    return [_label(item, texts) for item in items if "text" in item or item["source"] in texts], missing


def kappa(pairs: Sequence[tuple[bool, bool]]) -> float:
    """Compute Cohen's kappa of pairs of judgements: 1 for perfect agreement, 0 for no more than chance gives.

    Example:
        >>> kappa([(True, True), (False, False)]), kappa([(True, True), (True, False)])
        (1.0, 0.0)
    """
    one, other = (sum(column) / len(pairs) for column in zip(*pairs, strict=True))
    chance = one * other + (1 - one) * (1 - other)
    agreed = sum(a == b for a, b in pairs) / len(pairs)
    return (agreed - chance) / (1 - chance) if chance < 1 else 1.0


def _judge_labels(group: Sequence[Label]) -> list[tuple[bool, bool]]:
    return [(label.said, bool(answer_found(label.answer, [label.text]))) for label in group]


def _figures(pairs: Sequence[tuple[bool, bool]]) -> Iterator[str]:
    yield f"{sum(said == found for said, found in pairs) / len(pairs):.2f}"
    yield f"{kappa(pairs):.2f}"
    yield f"{pairs.count((False, True))}"
    yield f"{pairs.count((True, False))}"


def _label(item: Mapping[str, Any], texts: Mapping[str, Mapping[str, str]]) -> Label:
    known = texts.get(item["source"], {})
    talk = item.get("talk", "")
    text = item.get("text") or "\n".join(known[f"{talk}/{one}"] for one in item["shown"])
    return Label(item["source"], item.get("answer") or known[f"{talk}/{item['question']}"], text, item["said"])


def _sample() -> dict[str, str]:
    (talk,) = sample_transcripts("zh")
    return {f"/{id_}": text for exchange in talk.exchanges for one in exchange.evidence for id_, text in one.items()}


def _locomo(path: Path) -> dict[str, str]:
    """The answers and the turns of LoCoMo, each with its date as a memory writes it."""
    found: dict[str, str] = {}
    for talk in json.loads(path.read_text(encoding="utf-8")):
        name, said = talk["sample_id"], talk["conversation"]
        found |= {f"{name}/{place}": str(one.get("answer", "")) for place, one in enumerate(talk["qa"])}
        for session in (key for key in said if f"{key}_date_time" in said):
            for turn in said[session]:
                shared = f" [shares {turn['blip_caption']}]" if turn.get("blip_caption") else ""
                text = f"[{said[f'{session}_date_time']}] {turn['speaker']}: {turn['text']}{shared}"
                found[f"{name}/{turn['dia_id']}"] = text
    return found


def _realmem(path: Path) -> dict[str, str]:
    """The first answer to each question of RealMem, and the turns."""
    found: dict[str, str] = {}
    for user, talk in zip(json.loads(path.read_text(encoding="utf-8")), load_transcripts(path), strict=True):
        for item, question in zip(user["questions"], talk.questions, strict=True):
            found[f"{user['user']}/{item['id']}"] = question.answer.split("\n")[0]
        for number, session in enumerate(user["sessions"]):
            turns = enumerate(session["turns"])
            found |= {f"{user['user']}/{[number, place]}": turn["content"] for place, turn in turns}
    return found
