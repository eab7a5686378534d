"""The command that moves code from LangChain's memory classes to memzoo's."""

from pathlib import Path
from typing import Annotated

import typer

from memzoo.memories.cli.options import counted
from memzoo.memories.cli.terminal import echo
from memzoo.memories.migrate.code import Migrated, migrate_code, python_files, write
from memzoo.stores.errors import TransferError

__all__ = ["migrate"]


def migrate(
    *,
    path: Annotated[Path, typer.Argument(help="A Python file, or a folder with Python files.")],
    write_files: Annotated[
        bool, typer.Option("--write", help="Change the files; otherwise only what would change is shown.")
    ] = False,
) -> None:
    """Rewrite code that uses LangChain's memory classes for memzoo.langchain; name what cannot be, and what to do."""
    found: list[Migrated] = []
    for file in python_files(path):
        try:
            found.append(migrate_code(file))
        except TransferError as error:
            echo(f"not read: {error}", err=True)
    changed = [one for one in found if one.diff]
    for one in changed:
        if write_files:
            write(one)
        else:
            echo(one.diff, nl=False)
    _tell(found)
    done = "changed" if write_files or not changed else "to change; --write does it"
    echo(f"{len(changed)} of {counted(len(found), 'file')} {done}.")


def _tell(found: list[Migrated]) -> None:
    findings = [(one.path, finding) for one in found for finding in one.findings]
    for path, finding in findings:
        if finding.reason or finding.advice:
            what = f"{finding.name} {finding.reason}".strip()
            echo(f"{path}:{finding.line}: {what}; {finding.advice}")
    left = sum(bool(finding.reason) for _, finding in findings)
    echo(f"{counted(len(findings) - left, 'use')} of LangChain's memory rewritten, {left} left.")
