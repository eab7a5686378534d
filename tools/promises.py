"""Breaks the promises of docs/guarantees.md on purpose, and checks that the test named there fails.

`python -m tools.promises` applies one patch after another to a copy of the working tree. The exit code is 1 if a test
passed although its promise was broken. Arguments select promises: those that contain one of the given words.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from tools.mutants import ROOT, copied_tree

__all__ = ["BROKEN", "Broken", "promises"]

_CONTRACT = "tests/memories/test_contract.py"
_STORES = "tests/stores/test_memory.py"


class Broken(NamedTuple):
    """A promise, and a patch that breaks the promise.

    Attributes:
        promise: The beginning of the promise on the page.
        test: The name of the test.
        run: The file to run: the file of the test, or a file that runs the test's contract.
        file: The file to patch.
        before: The text to replace, which occurs once in the file.
        after: The replacement.
        only: An expression for pytest's `-k`, if one case of the test is enough.
    """

    promise: str
    test: str
    run: str
    file: str
    before: str
    after: str
    only: str = ""


BROKEN: Sequence[Broken] = (
    Broken(
        "When a save returns",
        "test_a_killed_process_loses_and_doubles_nothing",
        "tests/faults/test_crash.py",
        "stores/sql/sqlite.py",
        "            with held.driver as driver:\n"
        '                driver.execute("BEGIN IMMEDIATE")\n'
        "                last, is_known",
        "            with contextlib.nullcontext(held.driver) as driver:\n"
        "                if not driver.in_transaction:\n"
        '                    driver.execute("BEGIN IMMEDIATE")\n'
        "                last, is_known",
        "sqlite",
    ),
    Broken(
        "The same holds behind a pooler",
        "test_nothing_is_lost_behind_a_pooler",
        "tests/stores/test_poolers.py",
        "stores/sql/postgres_url.py",
        "threshold = None if given",
        "threshold = 2 if given",
        "SwappingProxy",
    ),
    Broken(
        "The same holds where several processes",
        "test_others_see_that_a_file_is_in_use",
        "tests/stores/test_sql_sharing.py",
        "stores/sql/sqlite.py",
        "os.O_CREAT | os.O_EXCL | os.O_RDWR",
        "os.O_CREAT | os.O_RDWR",
    ),
    Broken(
        "An exchange is stored whole",
        "test_all_or_nothing",
        "tests/stores/test_each_statement.py",
        "stores/sql/sqlite.py",
        '                driver.execute("BEGIN IMMEDIATE")\n                last, is_known',
        "                last, is_known",
    ),
    Broken(
        "Saving the same `turn_id`",
        "test_same_turn_is_saved_once",
        _CONTRACT,
        "stores/memory.py",
        "            if (turn := conversation.turns.get(turn_id)) is not None:\n",
        "            if (turn := None) is not None:\n",
        "buffer",
    ),
    Broken(
        "Threads, tasks and processes",
        "test_nothing_is_lost_doubled_or_out_of_order",
        "tests/faults/test_concurrency.py",
        "stores/sql/sqlite.py",
        "WHERE conversation_id = :conversation_id AND turn_id = :turn_id)",
        "WHERE conversation_id = :conversation_id AND turn_id = '')",
        "sqlite and threads",
    ),
    Broken(
        "What is learnt from an exchange is learnt once",
        "test_tasks_learn_each_exchange_once",
        "tests/memories/engine/test_conflicts.py",
        "memories/engine/learner.py",
        "            committed = await self.cached_state.commit(state, changes, until, attempts)\n",
        "            committed = await self.cached_state.commit(state, changes, until + 1, attempts)\n",
    ),
    Broken(
        "A model that fails, refuses",
        "test_bad_reply_changes_nothing",
        _CONTRACT,
        "memories/models/replies.py",
        "    if refuses(text) or says_nothing(text) or not",
        "    if says_nothing(text) or not",
        "summary",
    ),
    Broken(
        "One exchange at which a model always fails",
        "test_one_bad_exchange_stops_nothing",
        _CONTRACT,
        "memories/engine/retry.py",
        "        aside = step.first, step.last\n",
        "        return Decision(failed)\n",
        "summary",
    ),
    Broken(
        "While the model works, no message",
        "test_a_request_without_room_for_what_waits_learns_it_first",
        "tests/memories/engine/test_portions.py",
        "memories/engine/learner.py",
        " or max(gone) <= before",
        " or gone",
        "summary-messages",
    ),
    Broken(
        "A load does not wait",
        "test_a_load_asks_no_model_that_has_just_failed",
        "tests/memories/engine/test_failing_models.py",
        "memories/engine/retry.py",
        "if saving else _REST_OF_LOADS\n",
        "if saving else 0.0\n",
    ),
    Broken(
        "Any backlog fits",
        "test_catches_up_with_a_small_context",
        _CONTRACT,
        "memories/engine/retry.py",
        "    if isinstance(error, TooLongError) and error.asked and error.shorter:\n",
        "    if False:\n",
        "summary",
    ),
    Broken(
        "What was learnt can be learnt anew",
        "test_learns_anew",
        _CONTRACT,
        "memories/engine/learner.py",
        "                await drafting.learners[0].learn_all()\n",
        "                await self.cached_state.commit(old, Changes(dict.fromkeys(old.items)), old.watermark)\n"
        "                await drafting.learners[0].learn_all()\n",
        "summary and not buffer",
    ),
    Broken(
        "A message for which the model has no room",
        "test_bounds_every_request",
        "tests/memories/chat/test_room.py",
        "memories/chat/room.py",
        "        limit = self.max_tokens - self._counter().base\n",
        "        limit = 2 * self.max_tokens\n",
    ),
    Broken(
        "Going back replaces nothing",
        "test_an_edit_that_fails_replaces_nothing",
        "tests/memories/chat/test_going_back.py",
        "memories/engine/turns.py",
        "            # Of several stopped answers, only the newest stays.\n",
        "            if self._replaced:\n                await self._replaced.delete()\n",
    ),
    Broken(
        "What a tool did stays on record",
        "test_a_process_that_dies_in_a_tool",
        "tests/memories/chat/test_going_on.py",
        "memories/chat/conversation.py",
        "        await turn.akeep()\n        called += ",
        "        called += ",
    ),
    Broken(
        "A request is in an order",
        "test_whatever_is_said_a_request_is_in_order",
        "tests/memories/text/test_order.py",
        "memories/text/order.py",
        "        elif calls and (family.parallel_calls or len(calls) == 1):\n",
        "        elif calls:\n",
    ),
    Broken(
        "The system message is shown first",
        "test_learns_nothing_from_the_system_message",
        _CONTRACT,
        "memories/engine/log.py",
        '    return [entry for entry in entries if entry.message["role"] not in INSTRUCTIONS]',
        "    return list(entries)",
        "summary",
    ),
    Broken(
        "`keep_history=False` deletes",
        "test_a_save_deletes_what_is_needed_no_more",
        "tests/memories/engine/test_keeping.py",
        "memories/engine/saving.py",
        "    if new and learns and not memory.keep_history:\n",
        "    if new and learns and memory.keep_history:\n",
        "window",
    ),
    Broken(
        "What a window shows is in the log",
        "test_what_is_shown_is_in_the_log_and_is_shown_again_after_a_restart",
        "tests/memories/test_talks.py",
        "memories/engine/log.py",
        'if getattr(new, "epoch", None) == self.epoch:',
        'if getattr(new, "epoch", None) is not None:',
    ),
    Broken(
        "Work grows at most",
        "test_functions",
        "tests/test_linear_time.py",
        "benchmarks/measure/answers.py",
        "    return unicodedata.normalize(",
        "    _ = sum(1 for place in range(len(text)) for _ in text[place:])\n    return unicodedata.normalize(",
        "answer_found",
    ),
    Broken(
        "An exchange takes no more work",
        "test_an_exchange_costs_the_same_however_much_was_said_before",
        "tests/memories/test_growth.py",
        "memories/strategies/window.py",
        "        shown, room = await log.exchanges_with_room(self.k, self.step)\n",
        "        every = sorted(await log.exchanges(10**6), key=lambda entry: entry.seq)\n"
        "        shown, room = every[-2 * self.k :], -1\n",
        "window",
    ),
    Broken(
        "Parent and child of a fork",
        "test_all_locks_know_of_forks",
        "tests/stores/test_fork.py",
        "stores/memory.py",
        "        self._lock = new_rlock()\n",
        "        import threading\n\n        self._lock = threading.RLock()\n",
    ),
    Broken(
        "A call waits for SQLite's lock",
        "test_the_time_out_is_the_longest_wait",
        "tests/stores/test_waiting.py",
        "stores/sql/sqlite.py",
        "self._timeout = _parse_url(url)",
        "self._timeout = (*_parse_url(url)[:2], 60.0)",
    ),
    Broken(
        "What was forgotten or cleared",
        "test_what_was_forgotten_is_in_no_file",
        "tests/stores/test_erasure.py",
        "stores/sql/sqlite.py",
        '"secure_delete = ON"',
        '"secure_delete = OFF"',
    ),
    Broken(
        "What `redact` takes out",
        "test_a_secret_is_nowhere",
        "tests/memories/text/test_redaction.py",
        "memories/base.py",
        "        return records if self.redact is None else",
        "        return records if self.redact else",
    ),
    Broken(
        "What was forgotten stays forgotten",
        "test_what_was_forgotten_stays_forgotten",
        _STORES,
        "stores/memory.py",
        "            if (buried := self._tombstones.get(conversation_id)) and tombstone(turn_id) in buried:\n",
        "            if False:\n",
    ),
    Broken(
        "A memory that was open",
        "test_does_not_learn_what_was_forgotten",
        _CONTRACT,
        "memories/engine/learner.py",
        "        if state.epoch != self._clean_at:\n",
        "        if not self._cached:\n",
        "summary-memory",
    ),
    Broken(
        "Forget, clear, import and upgrade",
        "test_all_or_nothing",
        "tests/stores/test_each_statement.py",
        "stores/sql/sqlite.py",
        '                held.connection.exec_driver_sql("BEGIN IMMEDIATE")\n',
        "",
    ),
    Broken(
        "A file that is imported",
        "test_what_is_accepted_can_be_loaded",
        "tests/stores/test_import_fuzz.py",
        "stores/transfer.py",
        "            await checking\n",
        "            del checking\n",
    ),
    Broken(
        "An encrypted message that was moved",
        "test_what_was_moved_is_told",
        "tests/stores/test_encryption.py",
        "stores/encryption.py",
        "self._seal([said.message, dict(said.fields), place])",
        "self._seal([said.message, dict(said.fields), []])",
    ),
    Broken(
        "A damaged row",
        "test_a_damaged_row_is_named",
        "tests/stores/test_checking.py",
        "stores/common.py",
        '    return StoreError(f"{what} of {conversation_id!r} is damaged ({why:.200})")',
        '    return StoreError(f"{what} is damaged ({why:.200})")',
    ),
    Broken(
        "A conversation that cannot be imported",
        "test_a_changed_file_is_read_or_refused_by_name",
        "tests/fuzz/test_importing.py",
        "hosts/exports/reading.py",
        '                yield _refusal(f"{found.where}, {read.title!r}", found, error)\n',
        "                raise\n",
        "openai-agents",
    ),
    Broken(
        "A key that was given",
        "test_an_endpoint_that_repeats_the_key",
        "tests/memories/models/test_secrets.py",
        "memories/models/clients.py",
        'text.replace(key, "***")',
        "text",
    ),
    Broken(
        "What is stored, recorded",
        "test_nothing_is_obeyed",
        "tests/cli/test_terminal.py",
        "cli/terminal.py",
        "one if one.control else one._replace(text=visible(one.text))",
        "one",
    ),
    Broken(
        "A fact that a model ended",
        "test_end_what_was_so_before",
        "tests/memories/strategies/test_knowledge_graph.py",
        "memories/graph/revision.py",
        "            self._changed[fact.key] = replace(fact, superseded_by=seq, superseded_at=day)\n",
        "            self._changed[fact.key] = replace(fact, superseded_by=0, superseded_at=day)\n",
    ),
    Broken(
        "A full or read-only disk",
        "test_nothing_is_half_written",
        "tests/faults/test_disk.py",
        "stores/sql/sqlite.py",
        "except (_BusyError, sqlite3.Error, SQLAlchemyError, OverflowError",
        "except (_BusyError, OverflowError",
    ),
    Broken(
        "After a restart, everything learnt",
        "test_shows_the_same",
        "tests/memories/test_persistence.py",
        "stores/sql/store.py",
        '        """See `Store.commit`."""\n',
        '        """See `Store.commit`."""\n        changes = {}\n',
        "summary",
    ),
    Broken(
        "A damaged or missing Chroma folder",
        "test_damage_is_made_good",
        "tests/stores/test_chroma_folder.py",
        "memories/search/vectors.py",
        "        if missing := {number: embedding for number, embedding in stored.items() if number not in same}:\n",
        "        if missing := {number: stored[number] for number in known if number not in same}:\n",
        "delete",
    ),
    Broken(
        "Conversations never see each other",
        "test_conversations_are_apart",
        _STORES,
        "stores/memory.py",
        "            conversation = self._conversations.get(conversation_id) or self._begin()\n",
        "            conversation_id = 'a'\n"
        "            conversation = self._conversations.get(conversation_id) or self._begin()\n",
    ),
    Broken(
        "What is illegal is refused",
        "test_refuses_before_storing",
        _CONTRACT,
        "memories/text/keys.py",
        "    if len(candidates) != 1:\n",
        "    if not candidates:\n",
        "buffer",
    ),
    Broken(
        "Synchronous and asynchronous",
        "test_async_does_the_same",
        _CONTRACT,
        "memories/base.py",
        "    history = blocking(ahistory)\n",
        "    history = blocking(aentries)\n",
        "buffer",
    ),
    Broken(
        "Text is data",
        "test_every_line_end_counts",
        "tests/memories/text/test_forging.py",
        "memories/text/messages.py",
        'f"> {line}" if start and',
        "line if start and",
    ),
    Broken(
        "One process at a time learns",
        "test_what_another_one_learns_is_shown_word_for_word",
        "tests/memories/engine/test_leases.py",
        "memories/engine/leaseholder.py",
        "                return wait\n",
        "                return True\n",
    ),
    Broken(
        "Within one process",
        "test_a_model_call_is_paid_for_once",
        "tests/faults/test_concurrency.py",
        "memories/engine/learner.py",
        "            async with self.lock.hold():\n                return await self.learn(",
        "            if True:\n                return await self.learn(",
    ),
    Broken(
        "No secret that is recognised",
        "test_no_secret_is_kept",
        "tests/cassettes/test_planted.py",
        "cassettes/secrets.py",
        "        if found := _apart([*self.find(text), *told]):\n",
        "        if found := list[Secret]():\n",
    ),
    Broken(
        "What a model said is replayed",
        "test_a_key_alone_is_hidden",
        "tests/cassettes/test_answers.py",
        "cassettes/answers.py",
        " if not string[2] for",
        " for",
    ),
    Broken(
        "A comparison that is killed",
        "test_killed_at_any_moment_it_goes_on",
        "tests/benchmarks/test_tasks.py",
        "benchmarks/checkpoint.py",
        "            for key in self._sort():\n                file.seek(self._places[key])\n"
        "                self._places[key]",
        "            for key in list(self._places)[::-1]:\n                file.seek(self._places[key])\n"
        "                self._places[key]",
    ),
    Broken(
        "The classes of `memzoo.langchain`",
        "test_the_transcript",
        "tests/hosts/test_langchain_same.py",
        "memories/text/messages.py",
        "        return f\"{self.of(message['role'])}: {quote_turns(text_of(message), self.names)}\"",
        "        return f\"{self.of(message['role'])} - {quote_turns(text_of(message), self.names)}\"",
    ),
)
"""The patches, one for each promise."""


def promises() -> list[str]:
    """Return the promises of the page, in order."""
    page = (ROOT / "docs" / "guarantees.md").read_text(encoding="utf-8")
    rows = [line.split(" | ")[0].removeprefix("| ") for line in page.split("\n## ")[0].splitlines()]
    return [row for row in rows[rows.index("promise") + 2 :] if row]


def main(words: Annotated[list[str] | None, typer.Argument(help="Only promises with one of these.")] = None) -> None:
    """Break the promises one after another; the exit code is 1 if a test passed with its promise broken."""
    chosen = [one for one in BROKEN if any(word.lower() in one.promise.lower() for word in words or [""])]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        tree, environment = copied_tree(ROOT, Path(folder))
        unnoticed = [one for one in chosen if not _noticed(one, tree, environment)]
    typer.echo(f"{len(chosen)} promises broken, {len(chosen) - len(unnoticed)} noticed")
    raise typer.Exit(bool(unnoticed))


def _noticed(one: Broken, tree: Path, environment: dict[str, str]) -> bool:
    """Return whether the test fails with the patch."""
    file = tree / one.file
    before = file.read_text(encoding="utf-8")
    expression = f"{one.test} and ({one.only})" if one.only else one.test
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-x",
        "-n",
        "0",
        "-p",
        "no:randomly",
        "--timeout=300",
        one.run,
        "-k",
        expression,
    ]
    try:
        file.write_text(before.replace(one.before, one.after), encoding="utf-8")
        ran = subprocess.run(
            command, cwd=tree, env=os.environ | environment, capture_output=True, check=False, text=True
        )
    finally:
        file.write_text(before, encoding="utf-8")
    noticed = ran.returncode == 1 and one.test in ran.stdout
    typer.echo(
        f"{'noticed' if noticed else 'NOT NOTICED'}: {one.promise} ({one.test}, pytest ended with {ran.returncode})"
    )
    return noticed


if __name__ == "__main__":
    typer.run(main)
