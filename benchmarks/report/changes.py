"""Compares results with thresholds (the shares that a memory must reach), and with the results of an earlier run."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from pydantic import ValidationError

from memzoo.benchmarks.inputs import Survey
from memzoo.benchmarks.results import QuestionInfo, Results, Row, Talks
from memzoo.benchmarks.verdict import write_number
from memzoo.errors import OptionError
from memzoo.text import did_you_mean

_NAMES = {"recall": "covered", **{name: name for name in ("whole", "answers", "judged", "corrected", "survival")}}
"""The names of figures in `Figures`, by their names on the command line."""

_NAMED = 10  # conversations


def thresholds(given: Sequence[str], *, survival: bool) -> dict[str, float]:
    """Parse thresholds such as "recall=0.5", and return a dict from figure to share.

    Raises:
        OptionError: A threshold is not NAME=SHARE, or its figure is unknown or was not measured.
    """
    found: dict[str, float] = {}
    for text in given:
        name, _, value = text.partition("=")
        try:
            limit = float(value)
        except ValueError:
            limit = -1.0
        if not 0 <= limit <= 1 or name.strip() not in _NAMES:
            hint = "" if name.strip() in _NAMES else did_you_mean(name.strip(), _NAMES)
            raise OptionError(
                f"--fail-under {text!r} is not NAME=SHARE with a share from 0 to 1, such as recall=0.5; the names are "
                f"{', '.join(_NAMES)}{hint}"
            )
        found[name.strip()] = limit
    if "survival" in found and not survival:
        raise OptionError("--fail-under survival needs --survival, which asks for marked lines by words")
    return found


def list_missed(results: Results, limits: Mapping[str, float]) -> list[str]:
    """Return a sentence for each threshold that even the best memory misses within `Results.main_budget`."""
    budget, missed = results.main_budget, list[str]()
    for name, limit in limits.items():
        found = [one.mean for row in results.competing if (one := row.figure(_NAMES[name], budget))]
        if not found or max(found) < limit:
            said = f"is {max(found):.2f} at best" if found else "was not measured"
            within = write_number(budget, "token")
            missed.append(f"--fail-under: {name} {said} within {within}, and should be {limit:g}")
    return missed


def earlier_results(path: Path | None) -> Results | None:
    """Return the results of an earlier run from a file; `None` without a file.

    Raises:
        OptionError: The file cannot be read.
    """
    if path is None:
        return None
    try:
        return Results.model_validate_json(path.read_bytes())
    except OSError as error:
        raise OptionError(f"--baseline {path} cannot be read: {error.strerror}") from error
    except ValidationError as error:
        raise OptionError(f"--baseline {path} is not a results.json of this version of memzoo compare") from error


def check_same(survey: Survey, earlier: Results, file: Path | None, *, survival: bool) -> None:
    """Check that an earlier run had the same conversations and questions. Titles and order may differ.

    Raises:
        OptionError: The conversations or questions differ, or only one of the two runs measured survival.
    """
    if survival != earlier.run.survival:
        run, other = ("with", "without") if earlier.run.survival else ("without", "with")
        raise OptionError(f"--baseline {file} is from a run {run} --survival, but this run is {other} it")
    here = _conversations(survey.talks, survey.details)
    there = _conversations(earlier.talks, [one.question for one in earlier.questions])
    added, gone = ([some[key] for key in some if key not in others] for some, others in ((here, there), (there, here)))
    if not (added or gone) and survey.talks.count == earlier.talks.count:
        return
    told = {
        "changed since": [one for one in added if one in gone],
        "only in this run": [one for one in added if one not in gone],
        "only in the earlier run": [one for one in gone if one not in added],
    }
    listed = [f"{what}: {', '.join(map(repr, titles[:_NAMED]))}" for what, titles in told.items() if titles]
    counts = f"{survey.talks.count:,} now, {earlier.talks.count:,} then"
    raise OptionError(
        f"--baseline {file} has other conversations or questions, so nothing can be compared ({counts}); "
        f"{'; '.join(listed)}".removesuffix("; ")
    )


def _conversations(talks: Talks, questions: Sequence[QuestionInfo]) -> dict[object, str]:
    """Return the titles of conversations, by a key made of the conversation's length and questions."""
    asked: dict[int, list[object]] = defaultdict(list)
    for one in questions:
        asked[one.transcript].append((one.text, one.answer, one.category, one.evidence, one.stale))
    return {(one.exchanges, one.messages, tuple(asked[place])): one.title for place, one in enumerate(talks.first)}


def changes(results: Results, earlier: Results) -> list[str]:
    """Return the differences from earlier results, as a line for each memory, budget and figure."""
    now, before = ({row.memory.name: row for row in some.rows} for some in (results, earlier))
    said = [
        f"{name}, {write_number(budget, 'token')}: {line}"
        for name, row in now.items()
        if name in before
        for budget in row.budgets
        if budget in before[name].budgets
        for line in _differences(row, before[name], budget)
    ]
    both = [(name, row.budgets.keys(), before[name].budgets.keys()) for name, row in now.items() if name in before]
    said += [f"{name}: no budget was measured in both runs" for name, new, old in both if new and old and not new & old]
    failed = [(name, bool(row.error), bool(before[name].error)) for name, row in now.items() if name in before]
    said += [f"{name}: failed in {'this' if new else 'the earlier'} run" for name, new, old in failed if new != old]
    said += [f"{name}: only in this run" for name in now if name not in before]
    said += [f"{name}: only in the earlier run" for name in before if name not in now]
    return said or ["Nothing changed since the earlier run."]


def _differences(row: Row, earlier: Row, budget: int) -> Iterator[str]:
    for title, name in _NAMES.items():
        new, old = row.figure(name, budget), earlier.figure(name, budget)
        if new and old and abs(new.mean - old.mean) > 1e-9:  # noqa: PLR2004 - not the same at all
            apart = new.low > old.high or new.high < old.low
            yield f"{title} {old.mean:.2f} -> {new.mean:.2f}{'' if apart else ' (intervals overlap)'}"
    tokens, shown = earlier.budgets[budget].tokens, row.budgets[budget].tokens
    if round(shown) != round(tokens):
        yield f"tokens {tokens:,.0f} -> {shown:,.0f}"
