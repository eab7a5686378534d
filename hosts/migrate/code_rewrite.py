"""Rewrites a module's imports and calls of LangChain's memory classes."""

import itertools
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import libcst as cst
import libcst.matchers as m
from libcst.helpers import get_full_name_for_node
from libcst.metadata import (
    Assignment,
    GlobalScope,
    MetadataWrapper,
    PositionProvider,
    QualifiedNameProvider,
    QualifiedNameSource,
    ScopeProvider,
)

from memzoo.hosts.migrate.code_names import (
    CHECKED,
    DATABASES,
    DROP_IN,
    IN_CHAIN,
    LACKING,
    MEMORY_MODULES,
    Finding,
    Refusal,
    counterpart,
    database_of,
    further,
    instead_of_text,
    is_chain,
    refusal_of,
    why_left,
)

_TIGHT = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))


def rewrite_module(module: cst.Module, *, without_langchain: bool = False) -> tuple[str, tuple[Finding, ...]]:
    """Rewrite a module to use memzoo's classes. Return its new text, and its uses of LangChain's memory classes.

    With `without_langchain`, `ConversationChain` is rewritten too.
    """
    wrapper, survey = MetadataWrapper(module), _Survey(chains=without_langchain)
    wrapper.visit(survey)
    moved = survey.moved
    rewriting = _Rewriting(moved, survey.reached & moved.keys(), survey.idle(), survey.stores, survey.exported)
    changed = wrapper.visit(rewriting) if moved else module
    # A name that was imported from two modules is found once for each.
    return changed.code, tuple(sorted({*survey.findings()}))


@dataclass
class _OpenedStore:
    """A store that the module opens once for calls in its functions.

    Attributes:
        at: The module's statement after which the store is opened.
        name: The variable of the store.
        url: The URL of the store.
        calls: The calls that use the store.
    """

    at: cst.CSTNode
    name: str
    url: cst.BaseExpression
    calls: list[cst.Call] = field(default_factory=list[cst.Call])


@dataclass
class _Use:
    """The uses of a class of LangChain in a file.

    Attributes:
        name: The name of the class.
        target: The counterpart with its module; "" for none.
        calls: The lines of the calls.
        refusals: The reasons against rewriting, by line.
        opened: The lines of the calls that share a store, opened once by the module.
        prompted: The lines of the calls that give a prompt.
    """

    name: str
    target: str
    calls: set[int] = field(default_factory=set[int])
    refusals: dict[int, Refusal] = field(default_factory=dict[int, Refusal])
    opened: set[int] = field(default_factory=set[int])
    prompted: set[int] = field(default_factory=set[int])

    def make_finding(self, line: int) -> Finding:
        """Return the finding for a line."""
        if line in self.refusals:
            return Finding(line, self.name, *self.refusals[line])
        if self.refusals:
            return Finding(
                line, self.name, "stays, because it cannot be rewritten elsewhere in this file", "see that line"
            )
        if not self.target:
            return Finding(line, self.name, *why_left(self.name))
        advice = further(self.name, opened=line in self.opened, prompted=line in self.prompted)
        return Finding(line, self.name, advice=advice)


class _Survey(cst.CSTVisitor):
    """Finds all uses before the rewriting: a class is rewritten everywhere in a file, or nowhere."""

    METADATA_DEPENDENCIES = (PositionProvider, QualifiedNameProvider, ScopeProvider)

    def __init__(self, *, chains: bool) -> None:
        super().__init__()
        self._chains = chains
        self.stores: list[_OpenedStore] = []
        self._body: Sequence[cst.CSTNode] = ()
        self._free_names: Iterator[str] = iter(())
        self._functions = 0
        self._uses: dict[str, _Use] = {}
        self._others: list[Finding] = []
        # The variables with chains; and each used attribute, with the line and the variable.
        self._made: set[str] = set()
        self._asked: list[tuple[int, str, str]] = []
        # Classes that are used through their module.
        self.reached: set[str] = set()
        # Modules of memory classes, each with its names in the file; modules used for something other than a class; and
        # names before a class in a text, such as an annotation in quotes.
        self._modules: dict[str, set[str]] = {}
        self._asked_of: set[str] = set()
        self._texts: set[str] = set()
        # The names in the module's `__all__`, which other modules may import.
        self.exported: set[str] = set()

    @property
    def moved(self) -> dict[str, str]:
        """The counterparts of rewritten names, by name; both with their modules."""
        return {qualified: use.target for qualified, use in self._uses.items() if use.target and not use.refusals}

    def idle(self) -> set[str]:
        """Return the imported modules of memory classes that are unused after the rewriting."""
        stays = self.reached - self.moved.keys()
        return {
            name
            for name, known_as in self._modules.items()
            if any(one.startswith(f"{name}.") for one in self.moved)
            and not any(one.startswith(f"{name}.") for one in stays)
            and not known_as & (self._asked_of | self._texts | self.exported)
        }

    def visit_Import(self, node: cst.Import) -> bool:
        """Record a module of memory classes, which may be unused after the rewriting."""
        for alias in node.names:
            if (name := alias.evaluated_name).startswith(MEMORY_MODULES):
                package, own = name.partition(".")[0], alias.evaluated_alias
                self._modules.setdefault(name, set()).update([name, own] if own else [package])
        return False

    def findings(self) -> Iterator[Finding]:
        """Yield the findings: all calls, and other obstacles to rewriting."""
        yield from self._others
        if any(is_chain(qualified.rpartition(".")[2]) for qualified in self.moved):
            for line, name, attribute in self._asked:
                if name in self._made:
                    yield Finding(line, f"ConversationChain.{attribute}", *LACKING)
        for use in self._uses.values():
            yield from map(use.make_finding, use.calls | use.refusals.keys())

    def visit_Call(self, node: cst.Call) -> None:
        """Record a call of a memory class, or of a class method."""
        if get_full_name_for_node(node.func) in ("isinstance", "issubclass") and len(node.args) > 1:
            self._note_check(node)
        for qualified in _find_imported(self, node.func):
            use = self._use(qualified) or self._use(qualified.rpartition(".")[0])
            if use is None:
                continue
            use.calls.add(self._line(node))
            if any(argument.keyword and argument.keyword.value == "prompt" for argument in node.args):
                use.prompted.add(self._line(node))
            if refusal := refusal_of(use.name, node):
                use.refusals[self._line(node)] = refusal
            elif use.name in DATABASES and self._open_once(node):
                use.opened.add(self._line(node))

    def visit_Module(self, node: cst.Module) -> None:
        """Record the module's statements, the names that it exports, and the names that are free for stores."""
        self._body, name = node.body, m.Name("__all__")
        lists = m.AnnAssign(target=name) | m.AugAssign(target=name) | m.Assign(targets=[m.AssignTarget(name)])
        texts = (
            cast("cst.SimpleString", one)
            for said in m.findall(node, lists)
            for one in m.findall(said, m.SimpleString())
        )
        self.exported = {str(one.evaluated_value) for one in texts}
        taken = {cast("cst.Name", name).value for name in m.findall(node, m.Name())}
        names = ("store" if number == 1 else f"store_{number}" for number in itertools.count(1))
        self._free_names = (name for name in names if name not in taken)

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        """Record that the following calls are in a function, and may therefore run often."""
        self._functions += 1

    def leave_FunctionDef(self, original_node: cst.FunctionDef) -> None:
        """Record that the function has ended."""
        self._functions -= 1

    def visit_Lambda(self, node: cst.Lambda) -> None:
        """Record that the following calls are in a lambda, and may therefore run often."""
        self._functions += 1

    def leave_Lambda(self, original_node: cst.Lambda) -> None:
        """Record that the lambda has ended."""
        self._functions -= 1

    def _open_once(self, call: cst.Call) -> bool:
        """Record that the module can open the store of a function's call once; return False if it cannot.

        The URL must consist of texts and names. The module must bind these names, and the name of the called class,
        before the function. Any other expression, such as an environment variable, may change its value later.
        """
        _, url = cast("tuple[cst.BaseExpression, cst.BaseExpression]", database_of(call))
        if not self._functions or m.findall(url, m.Call() | m.Subscript() | m.Attribute()):
            return False
        names = [*m.findall(call.func, m.Name())[:1], *m.findall(url, m.Name())]
        bound = [self._bound_at(cast("cst.Name", name)) for name in names]
        at = max(bound)
        if min(bound) < 0 or at >= self._statement_at(call):
            return False
        while m.matches(self._body[at + 1], m.SimpleStatementLine([m.Import() | m.ImportFrom()])):
            at += 1
        known = [store for store in self.stores if store.at is self._body[at] and store.url.deep_equals(url)]
        if not known:
            self.stores.append(_OpenedStore(self._body[at], next(self._free_names), url))
            known = self.stores[-1:]
        known[0].calls.append(call)
        return True

    def _bound_at(self, name: cst.Name) -> int:
        """Return the index of the module's last statement that binds a name; -1 if the name is also bound elsewhere."""
        scope = self.get_metadata(ScopeProvider, name, None)
        bindings = scope[name.value] if scope else ()
        nodes = [one.node for one in bindings if isinstance(one, Assignment) and isinstance(one.scope, GlobalScope)]
        if not nodes or len(nodes) < len(bindings):
            return -1
        places = list(map(self._statement_at, nodes))
        return -1 if any(isinstance(self._body[at], cst.FunctionDef) for at in places) else max(places)

    def _statement_at(self, node: cst.CSTNode) -> int:
        line = self._line(node)
        return sum(self._line(statement) <= line for statement in self._body) - 1

    def _note_check(self, node: cst.Call) -> None:
        """Record a type check against a LangChain class that memzoo's classes do not count as."""
        kinds = node.args[1].value
        for kind in [one.value for one in kinds.elements] if isinstance(kinds, cst.Tuple) else [kinds]:
            if any(one.endswith(".BaseChatMemory") and counterpart(one) for one in _find_imported(self, kind)):
                asked = get_full_name_for_node(node.func)
                self._others.append(Finding(self._line(node), f"{asked} of BaseChatMemory", *CHECKED))

    def visit_Assign(self, node: cst.Assign) -> None:
        """Record a variable that is assigned a chain."""
        for target in node.targets:
            self._note_chain(target.target, node.value)

    def visit_AnnAssign(self, node: cst.AnnAssign) -> None:
        """Record a variable with an annotation that is assigned a chain."""
        if node.value is not None:
            self._note_chain(node.target, node.value)

    def visit_Attribute(self, node: cst.Attribute) -> bool:
        """Record a class used through its module, or an attribute that memzoo's chain does not have."""
        if self._chains and node.attr.value not in IN_CHAIN and (name := get_full_name_for_node(node.value)):
            self._asked.append((self._line(node), name, node.attr.value))
        known = {qualified for qualified in _find_imported(self, node) if self._use(qualified)}
        self.reached |= known
        return not known

    def visit_Name(self, node: cst.Name) -> None:
        """Record a module that is used for something other than a class."""
        self._asked_of.update(_find_imported(self, node))

    def visit_SimpleString(self, node: cst.SimpleString) -> None:
        """Record a class or module named in a text, such as the target of a test's patch; texts are not rewritten."""
        text = str(node.evaluated_value)
        self._texts |= set(_BEFORE_A_CLASS.findall(text))
        if advice := instead_of_text(text, chains=self._chains):
            self._others.append(Finding(self._line(node), repr(text), "is a string, which stays as it is", advice))

    def _note_chain(self, target: cst.BaseExpression, value: cst.BaseExpression) -> None:
        called = _find_imported(self, value.func) if self._chains and isinstance(value, cst.Call) else ()
        if any(one.endswith(".ConversationChain") for one in called) and (name := get_full_name_for_node(target)):
            self._made.add(name)

    def visit_ClassDef(self, node: cst.ClassDef) -> None:
        """Record a subclass as an obstacle, because it relies on the internals of LangChain's class."""
        for qualified in [name for base in node.bases for name in _find_imported(self, base.value)]:
            if use := self._use(qualified):
                reason = f"is the base of {node.name.value}, which relies on its internals"
                use.refusals[self._line(node)] = reason, "a strategy of your own, see docs/extending.md"

    def visit_ImportFrom(self, node: cst.ImportFrom) -> bool:
        """Record imported names, which are rewritten even without a call; a star import is an obstacle."""
        module = _module_of(node)
        if not isinstance(node.names, cst.ImportStar):
            for alias in node.names:
                if not self._use(name := f"{module}.{alias.evaluated_name}") and name.startswith(MEMORY_MODULES):
                    self._modules.setdefault(name, set()).update([name, alias.evaluated_alias or alias.evaluated_name])
        elif module.startswith(MEMORY_MODULES):
            advice = f"from {DROP_IN} import the names that you use"
            self._others.append(Finding(self._line(node), f"from {module} import *", "imports unknown names", advice))
        return False

    def _use(self, qualified: str) -> _Use | None:
        if qualified not in self._uses and (found := counterpart(qualified)):
            name, target = found
            self._uses[qualified] = _Use(name, "" if is_chain(name) and not self._chains else target)
        return self._uses.get(qualified)

    def _line(self, node: cst.CSTNode) -> int:
        return int(self.get_metadata(PositionProvider, node).start.line)


class _Rewriting(cst.CSTTransformer):
    """Replaces LangChain's classes and modules by their counterparts."""

    METADATA_DEPENDENCIES = (QualifiedNameProvider,)

    def __init__(
        self,
        moved: Mapping[str, str],
        reached: Collection[str],
        idle: Collection[str],
        stores: Sequence[_OpenedStore],
        exported: Collection[str],
    ) -> None:
        super().__init__()
        self._moved, self._exported = moved, exported
        self._reached = reached
        self._idle = idle
        self._stores = stores if any(name.endswith(DATABASES) for name in moved) else ()

    def on_leave(self, original_node: Any, updated_node: Any) -> Any:
        """After the statement that binds the last name needed, insert the statements that open stores."""
        changed = super().on_leave(original_node, updated_node)
        new = [f"{one.name} = open_store({_code(one.url)})" for one in self._stores if one.at is original_node]
        if not new:
            return changed
        lines = changed.nodes if isinstance(changed, cst.FlattenSentinel) else [changed]
        return cst.FlattenSentinel([*lines, *map(cst.parse_statement, new)])

    def visit_ImportFrom(self, node: cst.ImportFrom) -> bool:
        """Skip the names in an import, because `leave_SimpleStatementLine` rewrites the whole import."""
        return False

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> "cst.BaseStatement | cst.FlattenSentinel[cst.BaseStatement] | cst.RemovalSentinel":
        """Replace or remove an import; if only some names have counterparts, import these on a line of their own."""
        split = [self._split(statement) for statement in updated_node.body]
        kept = [statement for stays, _ in split for statement in stays]
        new = [statement for _, moves in split for statement in moves]
        if not new:
            return updated_node.with_changes(body=kept) if kept else cst.RemoveFromParent()
        first = kept or [new.pop(0)]
        others = [cst.SimpleStatementLine([_last(statement)]) for statement in new]
        whole = updated_node.with_changes(body=[*first[:-1], _last(first[-1])])
        # A comment after the import stays on the same line.
        return cst.FlattenSentinel([whole, *others])

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.BaseExpression:
        """Rename a class whose counterpart has another name."""
        target = self._target(original_node)
        name = updated_node.value
        if target is None or name in self._exported or not any(one.endswith(f".{name}") for one in self._moved):
            return updated_node
        return updated_node.with_changes(value=target.rpartition(".")[2])

    def leave_Attribute(self, original_node: cst.Attribute, updated_node: cst.Attribute) -> cst.BaseExpression:
        """Replace a class used through its module."""
        target = self._target(original_node)
        return updated_node if target is None else cst.parse_expression(target)

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.Call:
        """Replace a history in a database by a history in a memzoo store."""
        names = [name for name in _find_imported(self, original_node.func) if name in self._moved]
        if not any(name.endswith(DATABASES) for name in names):
            return updated_node
        session, url = cast("tuple[cst.BaseExpression, cst.BaseExpression]", database_of(updated_node))
        opened = next((one.name for one in self._stores if any(call is original_node for call in one.calls)), None)
        store = cst.Name(opened) if opened else cst.Call(cst.Name("open_store"), [cst.Arg(url)])
        new = [
            cst.Arg(session, cst.Name("conversation_id"), equal=_TIGHT),
            cst.Arg(store, cst.Name("store"), equal=_TIGHT),
        ]
        spaced = [
            one.with_changes(comma=old.comma, whitespace_after_arg=old.whitespace_after_arg)
            for one, old in zip(new, updated_node.args, strict=True)
        ]
        return updated_node.with_changes(args=spaced)

    def _split(
        self, statement: cst.BaseSmallStatement
    ) -> tuple[Sequence[cst.BaseSmallStatement], Sequence[cst.BaseSmallStatement]]:
        """Return the statements that stay, and the new statements, for one statement."""
        if isinstance(statement, cst.Import):
            stays = [alias for alias in statement.names if alias.evaluated_name not in self._idle]
            kept = [statement.with_changes(names=_end_like(stays, statement.names))] if stays else []
            return kept, self._import_reached(alias.evaluated_name for alias in statement.names)
        if not isinstance(statement, cst.ImportFrom) or isinstance(statement.names, cst.ImportStar):
            return [statement], []
        module = _module_of(statement)
        places = {f"{module}.{alias.evaluated_name}": alias for alias in statement.names}
        left = [alias for name, alias in places.items() if name not in self._moved and name not in self._idle]
        moves = {name: alias for name, alias in places.items() if name in self._moved}
        if len(left) == len(places):
            return [statement], self._import_reached(places)
        rest = [_with_names(statement, left)] if left else []
        return rest, [*self._import_moved(statement, moves), *_import_opener(moves), *self._import_reached(places)]

    def _import_moved(
        self, statement: cst.ImportFrom, moves: Mapping[str, cst.ImportAlias]
    ) -> Iterator[cst.BaseSmallStatement]:
        """Yield an import for each module that has counterparts of the imported names."""
        by_module: dict[str, list[cst.ImportAlias]] = {}
        for name, alias in moves.items():
            module, _, target = self._moved[name].rpartition(".")
            is_kept = alias.asname is None and alias.evaluated_name in self._exported and alias.evaluated_name != target
            asname = cst.AsName(cst.Name(alias.evaluated_name)) if is_kept else alias.asname
            by_module.setdefault(module, []).append(alias.with_changes(name=cst.Name(target), asname=asname))
        for module, aliases in by_module.items():
            yield _with_names(statement, aliases).with_changes(module=cst.parse_expression(module), semicolon=_DEFAULT)

    def _import_reached(self, modules: Iterable[str]) -> list[cst.BaseSmallStatement]:
        """Return imports of the counterparts' modules, for classes that are used through these modules."""
        starts = tuple(f"{module}." for module in modules)
        reached = [name for name in self._reached if name.startswith(starts)]
        new = {self._moved[name].rpartition(".")[0] for name in reached}
        return [*(_statement(f"import {module}") for module in sorted(new)), *_import_opener(reached)]

    def _target(self, node: cst.CSTNode) -> str | None:
        return next((self._moved[name] for name in _find_imported(self, node) if name in self._moved), None)


_DEFAULT = cst.MaybeSentinel.DEFAULT
_BEFORE_A_CLASS = re.compile(r"\b\w+(?=\.[A-Z]\w)")


def _find_imported(visitor: "cst.MetadataDependent", node: cst.CSTNode) -> list[str]:
    """Return the imported names that a node may refer to, with their modules."""
    found = cast("Iterable[Any]", visitor.get_metadata(QualifiedNameProvider, node, ()))
    return [one.name for one in found if one.source is QualifiedNameSource.IMPORT]


def _code(node: cst.CSTNode) -> str:
    return cst.Module([]).code_for_node(node)


def _module_of(node: cst.ImportFrom) -> str:
    return "" if node.relative or node.module is None else get_full_name_for_node(node.module) or ""


def _statement(text: str) -> cst.BaseSmallStatement:
    return cast("cst.SimpleStatementLine", cst.parse_statement(text)).body[0]


def _import_opener(moved: Iterable[str]) -> list[cst.BaseSmallStatement]:
    """Return the import of `open_store` if a moved name is a history in a database, else an empty list."""
    return [_statement("from memzoo import open_store")] if any(name.endswith(DATABASES) for name in moved) else []


def _last(statement: cst.BaseSmallStatement) -> cst.BaseSmallStatement:
    return statement.with_changes(semicolon=_DEFAULT)


def _end_like(aliases: Sequence[cst.ImportAlias], like: Sequence[cst.ImportAlias]) -> list[cst.ImportAlias]:
    """Return the names of an import, with a comma after the last name if the import `like` has one there."""
    return [*aliases[:-1], aliases[-1].with_changes(comma=like[-1].comma)]


def _with_names(statement: cst.ImportFrom, aliases: Sequence[cst.ImportAlias]) -> cst.ImportFrom:
    """Return an import with only these names; a comment after a name stays after it."""
    before = cast("Sequence[cst.ImportAlias]", statement.names)
    last = aliases[-1]
    spaced = last.comma.whitespace_after if isinstance(last.comma, cst.Comma) else None
    closing = statement.rpar
    if last.name is before[-1].name or closing is None or not isinstance(spaced, cst.ParenthesizedWhitespace):
        return statement.with_changes(names=_end_like(aliases, before))
    # After the last name's comment, the closing bracket now begins the next line.
    ended = spaced.with_changes(indent=True, last_line=cst.SimpleWhitespace(""))
    comma = cast("cst.Comma", last.comma).with_changes(whitespace_after=ended)
    return statement.with_changes(
        names=[*aliases[:-1], last.with_changes(comma=comma)],
        rpar=closing.with_changes(whitespace_before=cst.SimpleWhitespace("")),
    )
