"""Views put together: never over the budget, nothing twice."""

from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as some

from memzoo.errors import OverBudgetError
from memzoo.memories.search.excerpt import evidence
from memzoo.memories.strategies.combined import merge_views
from memzoo.memories.text.messages import Labels
from memzoo.memories.text.rendering import Renderer
from memzoo.memories.text.tokens import token_counter
from memzoo.stores import Entry, Message
from memzoo.strategy import Passage, View

START = datetime(2026, 1, 1, tzinfo=UTC)
LOG = [f"#{number} {'word ' * (number % 5)}end." for number in range(1, 21)]


def words(message: Message) -> int:
    """A token counter: what is counted for a text is never more than for its pieces."""
    return len(str(message["content"]).split())


def renderer() -> Renderer:
    """A renderer that counts words."""
    return Renderer(Labels(), lambda: token_counter(words), {}, {}, role="system")


def passage(number: int) -> Passage:
    """A message of the log as it is searched."""
    return Passage(number, "Human", LOG[number - 1], START + timedelta(hours=9 * number), begins=True)


def said(numbers: list[int]) -> View:
    """A view of messages."""
    return View.of([Entry(number, {"role": "user", "content": LOG[number - 1]}, "", START) for number in numbers])


def found(numbers: list[int]) -> View:
    """A view of passages."""
    passages = tuple(map(passage, numbers))
    return View(quotes=evidence(passages), passages=passages)


def told(texts: list[str]) -> View:
    """A view of texts."""
    return View(tuple(texts))


numbers = some.lists(some.integers(1, 20), unique=True, max_size=12)
views = some.lists(
    some.one_of(
        numbers.map(sorted).map(said),
        numbers.map(found),
        some.lists(some.sampled_from(["Sam is here. He likes tea.", "Eve is there.", "Nobody"]), max_size=3).map(told),
    ),
    min_size=1,
    max_size=4,
)


def shown(view: View) -> list[str]:
    """All lines of a view."""
    lines = [line for text in view.texts for line in text.splitlines()]
    return [*lines, *(str(message["content"]) for message in view.messages)]


def numbers_of(view: View) -> list[int]:
    """The log numbers of what a view shows word for word."""
    return [entry.seq for entry in view.entries]


def size(view: View) -> int:
    """The words of a view."""
    return sum(len(line.split()) for line in shown(view))


@given(views, some.integers(0, 80), some.data())
def test_is_never_over_the_limit_and_shows_nothing_twice(given_: list[View], limit: int, data: some.DataObject) -> None:
    """Whatever is to be shown and however it is shared, the limit holds and no message or text stands twice."""
    shares = data.draw(some.lists(some.integers(0, 9), min_size=len(given_), max_size=len(given_)).filter(any))
    view = merge_views(given_, renderer(), limit=limit, shares=shares)
    assert size(view) <= limit
    numbered = Counter(word for line in shown(view) for word in line.split() if word.startswith("#"))
    assert all(count == 1 for count in numbered.values())
    assert len(set(view.texts)) == len(view.texts)
    assert numbers_of(view) == sorted(set(numbers_of(view)))


@given(views)
def test_without_a_limit_shows_everything(given_: list[View]) -> None:
    """Each message and each text of any view is there, once."""
    view = merge_views(given_, renderer(), limit=None, shares=[1] * len(given_))
    wanted = {word for one in given_ for line in shown(one) for word in line.split() if word.startswith("#")}
    there = [word for line in shown(view) for word in line.split() if word.startswith("#")]
    assert sorted(there) == sorted(wanted)
    texts = {text for one in given_ if not one.passages for text in one.texts}
    assert texts <= set(view.texts)


@given(views, some.integers(0, 80))
def test_with_enough_room_leaves_nothing_out(given_: list[View], spare: int) -> None:
    """A limit that all of it fits changes nothing, however it is shared."""
    everything = merge_views(given_, renderer(), limit=None, shares=[1] * len(given_))
    shares = [1, *[0] * (len(given_) - 1)]
    room = 2 * size(everything) + spare
    limited = merge_views(given_, renderer(), limit=room, shares=shares)
    assert sorted(shown(limited)) == sorted(shown(everything))


def test_prefers_a_message_to_its_passage() -> None:
    """What is shown as a message is no evidence any more, and its room goes to other evidence."""
    view = merge_views([found([1, 2, 20]), said([19, 20])], renderer(), limit=None, shares=[1, 1])
    assert [line for line in shown(view) if line.startswith("Human")] == [f"Human: {LOG[0]}", f"Human: {LOG[1]}"]
    assert numbers_of(view) == [19, 20]


def test_shows_messages_that_say_more_than_the_facts() -> None:
    """A message whose words all stand in what was derived makes room for one that says something else."""
    said_so = Passage(1, "Human", "Sam likes green tea!", START, begins=True)
    said_more = Passage(2, "Human", "Sam likes tea from Ceylon, bought in Oslo.", START, begins=True)
    views = [
        View(quotes=evidence([said_so, said_more]), passages=(said_so, said_more)),
        told(["Sam likes green tea."]),
    ]
    shown = merge_views(views, renderer(), limit=None, shares=[1, 1]).texts
    assert shown == ["Sam likes green tea.", *evidence([said_more])]


def test_shows_a_message_that_denies_a_fact() -> None:
    """A message in the words of a fact, but for a "not", is shown beside it, until the facts deny it too."""
    denied = Passage(1, "Human", "Sam doesn't like green tea!", START, begins=True)
    search = View(quotes=evidence([denied]), passages=(denied,))
    facts = told(["Sam likes green tea. Sam is not tall."])
    shown = merge_views([search, facts], renderer(), limit=None, shares=[1, 1]).texts
    assert shown == [*facts.texts, *evidence([denied])]
    corrected = told(["Sam does not like green tea."])
    assert merge_views([search, corrected], renderer(), limit=None, shares=[1, 1]).texts == corrected.texts


def test_shows_no_line_twice() -> None:
    """A line that another text has already is left out, the rest of the text is not."""
    shown = merge_views(
        [told(["Sam: is tall."]), told(["Sam: is tall.\nEve: sings."])], renderer(), limit=None, shares=[1, 1]
    )
    assert shown.recalled == ("Sam: is tall.", "Eve: sings.")


def test_gives_what_is_left_to_the_largest_share() -> None:
    """What one does not use goes first to the one that was given most."""
    one, other = said([1, 5, 10]), said([15, 20])
    limited = merge_views([told(["Eve"]), one, other], renderer(), limit=6, shares=[5, 1, 4])
    assert numbers_of(limited) == [15, 20]


@pytest.mark.parametrize(
    ("view", "sizes"),
    [
        (told(["Sam is here. He likes tea."]), [0, 1, 2, 3, 6]),
        (said([1, 5]), [0, 2, 5]),
        (found([1, 5]), [0, 6, 7, 12]),
    ],
)
def test_what_fits_exactly_is_shown(view: View, sizes: list[int]) -> None:
    """A sentence, a message and a passage each take the last token of a limit, and not one more."""
    shown = {limit: size(merge_views([view], renderer(), limit=limit, shares=[1])) for limit in range(sizes[-1] + 3)}
    assert shown == {limit: max(one for one in sizes if one <= limit) for limit in shown}


def test_what_must_be_shown_is_shown_whole_or_refused() -> None:
    """It comes before all else, whatever the shares; where it does not fit, the error says by how much."""
    first = said([1, 5])
    for limit in (5, 6):
        assert numbers_of(merge_views([said([10])], renderer(), limit=limit, shares=[1], first=first)) == [1, 5]
    assert numbers_of(merge_views([said([10])], renderer(), limit=7, shares=[1], first=first)) == [1, 5, 10]
    with pytest.raises(
        OverBudgetError, match="the newest user message and all that follows together take 5 t"
    ) as caught:
        merge_views([said([10])], renderer(), limit=4, shares=[1], first=first)
    assert (caught.value.size, caught.value.limit) == (5, 4)


def test_messages_are_shown_from_the_newest_back() -> None:
    """What is older than one that has no room is not shown, though it would fit."""
    assert numbers_of(merge_views([said([1, 4, 5])], renderer(), limit=6, shares=[1])) == [5]


def test_a_passage_makes_room_for_its_message() -> None:
    """A message that has no room beside the passage of it takes its place."""
    passage = found([20])
    limit = size(passage)
    assert limit < size(passage) + size(said([20]))
    view = merge_views([passage, said([20])], renderer(), limit=limit, shares=[9, 1])
    assert (numbers_of(view), view.recalled) == ([20], ())


@pytest.mark.parametrize(("text", "is_shown"), [("Oslo Rome Paris Berlin Bergen", False), ("Oslo Rome Bergen", True)])
def test_a_message_with_a_fifth_that_is_new_says_hardly_anything(text: str, is_shown: bool) -> None:  # noqa: FBT001
    """One new word of five makes no difference, one of three does."""
    message = Passage(1, "Human", text, START, begins=True)
    views = [View(quotes=evidence([message]), passages=(message,)), told(["Oslo, Rome, Paris, Berlin."])]
    shown = merge_views(views, renderer(), limit=None, shares=[1, 1]).texts
    assert (evidence([message])[0] in shown) == is_shown


@pytest.mark.parametrize(("shares", "expected"), [([1, 1], 6), ([2, 1], 8), ([1, 2], 4)])
def test_a_member_takes_no_more_than_its_share_while_another_needs_the_rest(shares: list[float], expected: int) -> None:
    """A limit is parted by the shares, none of them 0, wherever each member has more to show."""
    texts = told(["one two three four five six seven eight nine ten eleven twelve."])
    view = merge_views([texts, said([5, 10, 15, 20])], renderer(), limit=12, shares=shares)
    assert size(view) <= 12
    assert len(" ".join(view.texts).split()) == expected
