"""Finds documents in files, folders and ZIPs, and recognises their forms."""

import csv
import fnmatch
import importlib
import io
import itertools
import json
import re
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

import jiter

from memzoo.errors import MissingExtraError, TransferError
from memzoo.hosts.exports.chat_log import reason
from memzoo.hosts.exports.form import Form
from memzoo.stores.checking import is_sqlite

_JSON, _TABLES, _YAML = {".json", ".jsonl", ".ndjson"}, {".csv", ".tsv"}, {".yaml", ".yml"}
_DATABASES = {".db", ".sqlite", ".sqlite3"}
_SUFFIXES = {*_JSON, *_TABLES, *_YAML, *_DATABASES, ".txt", ".md", ".vtt", ".zip"}
_KINDS = {
    b"PK\x03\x04": "a document in a ZIP, such as .docx",
    **dict.fromkeys((b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"RIFF"), "a picture or a recording"),
    b"%PDF": "a PDF",
    b"PAR1": "a Parquet file",
    b"\x1f\x8b": "a file packed by gzip",
}
"""The kinds of files that are no text, by their first bytes."""
LISTED = "`memzoo compare --formats` lists them"
"""The end of errors about unknown forms."""
_HEAD = 4000
_FIRST, _FIRST_LINES = 10, 20
_CHUNK = 2**18
_FIRST_LIST = re.compile(r'\s*\{\s*"(\w+)"\s*:\s*\[')
_SPACE = re.compile(r"[\s,]*")
_OPENS_JSON = re.compile(r"""\s*(?:\{\s*["'}]|\[\s*[\[{"\]])""")
# The end of an object and the beginning of the next, with its first key.
_BETWEEN = re.compile(r'\}\s*,\s*\{\s*"[^"\\]{1,200}"')
_CUT_OFF = json.JSONDecodeError("the file is cut off", "", 0)
_DECODE = json.JSONDecoder().raw_decode
# A pair of escapes, or a half of one that stands alone, as in texts that were cut off.
_HALVES = re.compile(r"\\u[dD](?:[89abAB]..(?:\\u[dD][c-fC-F]..)?|[c-fC-F]..)")
_PAIR = len(r"\ud83d\ude00")


@dataclass(frozen=True, slots=True)
class FoundDocument:
    """A file, a part of a file, or a folder, with the form in which its conversations can be read.

    Attributes:
        document: The content, such as a JSON object or a text; see `Form.document`.
        title: The title for a conversation that has none.
        where: The path of the file, and the place in the file, for errors.
    """

    form: Form
    document: Any
    title: str
    where: str


def find_documents(path: Path, forms: Sequence[Form]) -> Iterator[FoundDocument | TransferError]:
    """Yield the documents in a file, folder or ZIP, and an error for each file or part that cannot be read."""
    try:
        if path.is_dir():
            yield from _in_folder(path, forms, str(path))
        else:
            yield from _in_file(path, forms, str(path))
    except OSError as error:
        yield TransferError(f"{path} cannot be read: {error.strerror or error}")


def _in_folder(folder: Any, forms: Sequence[Form], where: str) -> Iterator[FoundDocument | TransferError]:
    # Only the names are in memory: a folder can have very many files.
    names = sorted(one.name for one in folder.iterdir())
    for form in forms:
        if form.document == "folder" and form.recognise(set(names)):
            yield FoundDocument(form, folder, folder.name.removesuffix(".zip") or Path(where).stem, where)
            return
    beside = [(form.name, re.compile("|".join(map(fnmatch.translate, form.beside)))) for form in forms if form.beside]
    owners = {name: which for name in names if (which := {form for form, files in beside if files.match(name)})}
    there = set[str]()
    # Files like those beside an application's conversations come last: without such conversations, they are read too.
    for name in (*(name for name in names if name not in owners), *owners):
        one, is_hidden = folder / name, name.startswith((".", "__MACOSX"))
        is_folder = not is_hidden and one.is_dir()
        is_file = Path(name).suffix.lower() in _SUFFIXES and not owners.get(name, set()) & there
        if is_folder or (is_file and not is_hidden):
            for found in (_in_folder if is_folder else _in_file)(one, forms, f"{where}/{name}"):
                there |= {found.form.name} if isinstance(found, FoundDocument) else set()
                yield found


def _in_file(path: Any, forms: Sequence[Form], where: str) -> Iterator[FoundDocument | TransferError]:
    suffix = Path(where).suffix.lower()
    try:
        if suffix == ".zip":
            with path.open("rb") as file, zipfile.ZipFile(file) as archive:
                yield from _in_folder(zipfile.Path(archive), forms, where)
        elif suffix not in _SUFFIXES - _DATABASES and _is_database(path):
            if not isinstance(path, Path):
                raise TransferError(f"{where} is an SQLite database: unpack it, and read it from the disk")  # noqa: TRY301
            form = next(form for form in forms if form.document == "database")
            yield FoundDocument(form, path, path.stem, where)
        else:
            with path.open("r", encoding="utf-8-sig", newline="\n") as file:
                yield from find_in_text(file, where, forms)
    except UnicodeDecodeError as error:
        kind = next((kind for first, kind in _KINDS.items() if error.object.startswith(first)), "")
        told = f"is not text, but {kind}" if kind else f"cannot be read as UTF-8 text ({error})"
        yield TransferError(f"{where} {told}; save the chat as text or JSON, in UTF-8")
    except zipfile.BadZipFile as error:
        yield TransferError(f"{where} is not a complete ZIP file ({error}): download it again")
    except (OSError, RuntimeError, NotImplementedError) as error:  # a ZIP may need a password
        yield TransferError(f"{where} cannot be read: {getattr(error, 'strerror', None) or reason(error)}")
    except MissingExtraError:
        raise
    except TransferError as error:
        yield error


def _is_database(path: Any) -> bool:
    if isinstance(path, Path):
        return is_sqlite(path)
    with path.open("rb") as file:
        return bool(file.read(16).startswith(b"SQLite format 3"))


def find_in_text(file: TextIO, where: str, forms: Sequence[Form]) -> Iterator[FoundDocument | TransferError]:
    """Yield the documents in an open file.

    `file` must be seekable. `where` is the file's name, for titles and errors.

    Raises:
        TransferError: The file has none of the forms, or is cut off.
    """
    head = file.read(_HEAD)
    file.seek(0)
    title, suffix = Path(where).stem, Path(where).suffix.lower()
    if not head.strip():
        raise TransferError(f"{where} is empty")
    if head.startswith("version https://git-lfs.github.com/"):
        raise TransferError(f"{where} is a pointer of Git LFS: fetch the file itself with `git lfs pull`")
    if suffix in _TABLES:
        yield _in_table(file, head, where, forms)
        return
    if suffix in _YAML:
        document = _yaml(file.read(), where)
        if isinstance(document, list):
            listed: list[Any] = document  # pyright: ignore[reportUnknownVariableType]
            yield from _among(((f"{where}, item {n}", one) for n, one in enumerate(listed)), where, title, forms)
        else:
            yield _of_value(document, where, title, forms)
        return
    if suffix not in _JSON or head.lstrip()[0] not in "[{":
        for form in forms:
            if form.document == "text" and form.recognise(head):
                yield FoundDocument(form, file.read(), title, where)
                return
    if not (head.lstrip()[0] in "[{" if suffix in _JSON else _OPENS_JSON.match(head)):
        raise TransferError(f"{where} is in none of the known formats; {LISTED}")
    yield from _in_json(file, where, title, forms)


def _in_json(file: TextIO, where: str, title: str, forms: Sequence[Form]) -> Iterator[FoundDocument | TransferError]:
    line = file.readline(_CHUNK)
    while line and not line.strip():
        line = file.readline(_CHUNK)
    first = _parse_or_none(line)
    second = file.readline(_CHUNK) if first is not None else ""
    while second and not second.strip():
        second = file.readline(_CHUNK)
    file.seek(0)
    if second:
        yield from _among(_lines(file, where), where, title, forms, _FIRST_LINES)
    elif line.lstrip()[0] == "[":
        yield from _among(_items(file, where), where, title, forms)
    elif first is None and (form := _find_itemised(file, where, forms)):
        for number, (place, item) in enumerate(_items(file, where), start=1):
            document = {form.items: [item]}
            is_read = not isinstance(item, TransferError)
            yield FoundDocument(form, document, f"{title} {number}", place) if is_read else item
    else:
        try:
            document = first if first is not None else parse(file.read())
        except (ValueError, RecursionError) as error:
            line_number = f", line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
            raise _not_json(f"{where}{line_number}", error) from error
        found = _of_value(document, where, title, forms)
        if isinstance(found, TransferError):  # a file can have one message
            alone = _of_value([document], where, title, forms)
            found = found if isinstance(alone, TransferError) else alone
        yield found


def _find_itemised(file: TextIO, where: str, forms: Sequence[Form]) -> Form | None:
    """Return the form of a large object of which the items of a list are read one by one, if the first item has it."""
    name = _FIRST_LIST.match(file.read(_HEAD))
    file.seek(0)
    likely = [form for form in forms if name and form.items == name[1]]
    item = next((item for _, item in _items(file, where)), None) if likely else None
    file.seek(0)
    return next((form for form in likely if form.recognise({form.items: [item]})), None)


def _among(
    values: Iterable[tuple[str, Any]], where: str, title: str, forms: Sequence[Form], ahead: int = _FIRST
) -> Iterator[FoundDocument | TransferError]:
    """Yield the documents among the values of a list, or all of them as one; a form is known by some values ahead."""
    values = iter(values)
    first = list(itertools.islice(values, ahead))
    good = [value for _, value in first if not isinstance(value, TransferError)]
    for form in forms:
        if "list" in form.document and form.recognise(good):
            everything = [value for _, value in itertools.chain(first, values)]
            yield from (value for value in everything if isinstance(value, TransferError))
            yield FoundDocument(form, [one for one in everything if not isinstance(one, TransferError)], title, where)
            return
        if "object" in form.document and any(isinstance(value, dict) and form.recognise(value) for value in good):
            break
    if not first:
        raise TransferError(f"{where} is an empty list")
    titles = (f"{title} {number}" for number in itertools.count(1)) if len(first) > 1 else itertools.repeat(title)
    for (place, value), name in zip(itertools.chain(first, values), titles, strict=False):
        yield _of_value(value, place, name, forms)


def _of_value(value: Any, where: str, title: str, forms: Sequence[Form]) -> FoundDocument | TransferError:
    if isinstance(value, TransferError):
        return value
    kind = "list" if isinstance(value, list) else "object" if isinstance(value, dict) else "nothing"
    head = value[:_FIRST] if isinstance(value, list) else value  # pyright: ignore[reportUnknownVariableType]
    form = next((form for form in forms if kind in form.document and form.recognise(head)), None)
    if form is None:
        keys = ", ".join(map(repr, value)) if isinstance(value, dict) else ""  # pyright: ignore[reportUnknownArgumentType]
        there = f"its keys are {keys}" if keys else f"it contains {value!r:.80}"
        return TransferError(f"{where} is in none of the known formats: {there:.300}; {LISTED}")
    return FoundDocument(form, value, title, where)


def _in_table(file: TextIO, head: str, where: str, forms: Sequence[Form]) -> FoundDocument | TransferError:
    titles = next(iter(head.splitlines()), "")
    delimiter = max(",;\t|", key=titles.count)
    spaced = titles.count(f"{delimiter} ") == titles.count(delimiter)
    # The csv module requires newline="", which preserves line ends within quoted cells.
    rows = csv.DictReader(io.StringIO(file.read(), newline=""), delimiter=delimiter, skipinitialspace=spaced)
    rows.fieldnames = columns = [name.strip().lower() for name in rows.fieldnames or ()]
    for form in forms:
        if form.document == "table" and form.recognise(set(columns)):
            return FoundDocument(form, rows, Path(where).stem, where)
    return TransferError(f"{where} is in none of the known formats: its columns are {', '.join(columns)}; {LISTED}")


def _yaml(text: str, where: str) -> Any:
    try:
        yaml: Any = importlib.import_module("yaml")
    except ImportError as error:
        raise MissingExtraError.of("Reading YAML", "replay") from error
    try:
        # As in JSON, keys are texts, and so are times.
        return json.loads(json.dumps(yaml.safe_load(text), default=str))
    except (yaml.YAMLError, TypeError, ValueError, RecursionError) as error:
        raise TransferError(f"{where} cannot be read as YAML: {error}") from error


def _lines(file: TextIO, where: str) -> Iterator[tuple[str, Any]]:
    begun = False  # with an object
    # Files are split at "\n" only, because JSON strings may contain other line breaks, such as U+2028.
    for number, line in enumerate(file, start=1):
        place = f"{where}, line {number}"
        if line.strip():
            try:
                value = parse(line)
                begun = begun or isinstance(value, dict)
                is_odd = begun and not isinstance(value, dict)
                yield place, TransferError(f"{place}: expected an object, not {value!r:.60}") if is_odd else value
            except (ValueError, RecursionError) as error:
                yield place, _not_json(place, error)


def _items(file: TextIO, where: str) -> Iterator[tuple[str, Any]]:
    """Yield the items of a JSON list while the file is read: only one item is in memory, and a part of the next."""
    text, number, step, between = file.read(_CHUNK), 0, _CHUNK, ""
    place = text.index("[") + 1
    while True:
        place = gap.end() if (gap := _SPACE.match(text, place)) else place  # the pattern matches everywhere
        if text.startswith("]", place):
            return
        if between:
            # No object is the beginning of another, so one that ends where the next seems to begin is the whole item.
            found = text.find(between, place)
            if found < 0 and len(text) - place < _CHUNK and (more := file.read(_CHUNK)):
                text, place = text[place:] + more, 0
                continue
            if (value := _parse_or_none(text[place : found + 1])) is not None:
                yield f"{where}, item {number}", value
                number, place, step = number + 1, found + 1, _CHUNK
                continue
        fault: Exception = _CUT_OFF
        end = len(text)
        if place < end:
            try:
                value, end = _DECODE(text, place)
            except (ValueError, RecursionError) as error:
                fault = error
        if end == len(text):  # the item, or a number, may go on in the next part of the file
            if not (more := file.read(step)):
                fault = fault if text.rstrip().endswith("]") else _CUT_OFF
                yield f"{where}, item {number}", _not_json(f"{where}, item {number}", fault)
                return
            text, place, step = text[place:] + more, 0, step * 2
            continue
        yield f"{where}, item {number}", parse(text[place:end]) if _has_lone_half(text[place:end]) else value
        between = next_one[0] if (next_one := _BETWEEN.match(text, end - 1)) else between
        number, place, step = number + 1, end, _CHUNK


def parse(text: str) -> Any:
    """Return the value of a JSON text. Lone surrogates become question marks.

    Raises:
        ValueError: The text is not JSON.
    """
    try:
        return jiter.from_json(text.encode())
    except ValueError:  # its errors say less; and it takes no lone surrogates, and nothing that is nested deeply
        document = json.loads(text)
    if _has_lone_half(text):
        document = json.loads(json.dumps(document, ensure_ascii=False).encode("utf-8", "replace"))
    return document


def _has_lone_half(text: str) -> bool:
    return ("\\ud" in text or "\\uD" in text) and any(len(found) < _PAIR for found in _HALVES.findall(text))


def _parse_or_none(line: str) -> Any:
    try:
        return parse(line)
    except (ValueError, RecursionError):
        return None


def _not_json(where: str, error: Exception) -> TransferError:
    if isinstance(error, json.JSONDecodeError):
        said = error.msg
    elif isinstance(error, RecursionError):
        said = "nested too deeply"
    else:  # Python's limit for the digits of an integer
        said = "a number in it has too many digits"
    return TransferError(f"{where}: this is not JSON ({said})")
