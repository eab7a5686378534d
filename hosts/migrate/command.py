"""The command that moves code from LangChain's memory classes to memzoo's."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from memzoo.cli.options import command, write_count
from memzoo.cli.terminal import echo, progress_bars
from memzoo.errors import TransferError
from memzoo.hosts.migrate.apart import Apart
from memzoo.hosts.migrate.code import Migrated, python_files, write
from memzoo.hosts.migrate.code_names import ASKS_A_MODEL, Finding

_SECONDS = 60.0  # the time limit for a file


@command("Migration")
def migrate(
    *,
    paths: Annotated[
        list[Path], typer.Argument(metavar="PATH...", help="Python files, notebooks, or folders of these.")
    ],
    write_files: Annotated[
        bool, typer.Option("--write", help="Change the files; otherwise only show the changes.")
    ] = False,
    without_langchain: Annotated[
        bool,
        typer.Option(
            "--without-langchain",
            help="Also rewrite ConversationChain. LangChain's own class accepts memzoo's memories, too.",
        ),
    ] = False,
) -> None:
    """Move code from LangChain's memory classes to memzoo.langchain. List the places left unchanged, with advice.

    A file that cannot be read or written, or takes more than a minute, is skipped; the exit code is then 2.
    """
    found: list[Migrated] = []
    changed = failed = 0
    unlisted: list[TransferError] = []
    files = list(dict.fromkeys(file for path in paths for file in python_files(path, unlisted.append, _tell_left)))
    for refusal in unlisted:
        echo(f"not read: {refusal}", err=True)
    with Apart(_SECONDS, without_langchain=without_langchain) as apart, progress_bars() as progress:
        for file in progress.track(files, description="Reading"):
            try:
                found.append(done := apart.migrate_file(file))
                if done.diff:
                    _put(done, write_files=write_files)
                    changed += 1
            except TransferError as error:
                failed += 1
                echo(f"not {'written' if found and found[-1].path == file else 'read'}: {error}", err=True)
    _tell(found)
    done_now = "changed" if write_files or not changed else "to change; --write does it"
    echo(f"{changed} of {write_count(len(found), 'file')} {done_now}.")
    if failed := failed + len(unlisted):
        raise TransferError(f"{write_count(failed, 'path')} could not be read or written, and stayed as before")


def _tell_left(what: str) -> None:
    echo(f"left alone: {what}", err=True)


def _put(one: Migrated, *, write_files: bool) -> None:
    if not write_files:
        echo(one.diff, nl=False)
        return
    write(one)
    echo(f"changed: {one.path}")


def _tell(found: list[Migrated]) -> None:
    findings = [pair for one in found for pair in zip(one.places, one.findings, strict=True)]
    for place, finding in findings:
        if finding.reason or finding.advice:
            what = f"{finding.name} {finding.reason}".strip()
            echo(f"{place}: {what}; {finding.advice}")
    _tell_of_prompts([finding for _, finding in findings if not finding.reason])
    left = sum(bool(finding.reason) for _, finding in findings)
    echo(f"{write_count(len(findings) - left, 'use')} of LangChain's memory rewritten, {left} left.")


def _tell_of_prompts(rewritten: Sequence[Finding]) -> None:
    """Print a note on a change that the code does not show: memzoo's prompts have different words."""
    if asking := sorted({finding.name for finding in rewritten} & ASKS_A_MODEL):
        echo(
            f"{', '.join(asking)}: unless a prompt is given, the model is asked in memzoo's words, not in LangChain's; "
            "with the same variables and roles, see docs/langchain.md."
        )
