"""Runs an adapter in a contender's environment, and answers memzoo's requests: `python runner.py ADAPTER`.

Requests come from standard input and answers go to standard output, as lines of JSON; the page "Add a contender" lists
them. This file needs only the standard library.
"""

import inspect
import json
import os
import runpy
import sys
import time
import traceback


GIVEN = ("count_tokens", "budget", "human_prefix", "ai_prefix")


def find_fault(make, options):
    """Return the fault of an adapter's class or options, such as "has no class Memory"; "" if there is none."""
    if not isinstance(make, type):
        return "has no class Memory"
    for name in ("save", "view"):
        if not hasattr(make, name):
            return f"has a class Memory without the method {name}"
    signature = inspect.signature(make)
    try:
        signature.bind(**dict.fromkeys(GIVEN), **options)
    except TypeError as error:
        own = [name for name in signature.parameters if name not in GIVEN]
        return f"cannot make its Memory: {error}; it gets {', '.join(GIVEN)}, and has the options {own}"
    return ""


def run(adapter):
    """Answer requests until standard input ends."""
    # Libraries print: only this function may write to the pipe, so all other output goes to standard error.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
    os.dup2(2, 1)
    requests = os.fdopen(os.dup(0), encoding="utf-8", newline="\n")

    def answer(**members):
        answers.write(json.dumps(members) + "\n")
        answers.flush()

    def count_tokens(text):
        answer(count=text)
        return json.loads(next(requests))["tokens"]

    memory = make = None
    for line in requests:
        request = json.loads(line)
        do = request.pop("do")
        found = {}
        try:
            if do == "start":
                make = make or runpy.run_path(adapter, run_name="adapter").get("Memory")
                options = request.pop("options")
                memory = None  # the last one frees its files first
                if fault := find_fault(make, options):
                    found = {"fault": fault}
                else:
                    memory = make(count_tokens=count_tokens, **request, **options)
            elif do == "save":
                memory.save(request["messages"], request["said_at"])
            elif do == "view":
                found = {"messages": memory.view(request["question"])}
            elif do == "delete":
                found = {"deleted": hasattr(memory, "delete")}
                if found["deleted"]:
                    memory.delete(request["texts"])
            answer(cpu=time.process_time(), **found)
        except Exception as error:  # the adapter's
            traceback.print_exc()
            answer(cpu=time.process_time(), error=f"{type(error).__name__}: {error}")


if __name__ == "__main__":
    run(sys.argv[1])
