"""The verbs that state facts, with all their forms."""

from typing import NamedTuple

__all__ = ["FORMS", "Verb", "past", "present"]


class Verb(NamedTuple):
    """What a form of a verb says: which verb it is, and in which tense.

    Attributes:
        base: The verb as a dictionary has it.
        tense: `base`, `present` (third person), `past`, `participle` (only where it is not the past) or `ing`.
    """

    base: str
    tense: str


_REGULAR = """
    accept acquire act admire adopt advise allow announce apply appoint arrive assemble attend award bake ban book
    borrow call cancel celebrate change charge check clean climb collect commission complete compose contain cook
    coach create cure cycle dance defeat deliver depart design develop die direct discover dislike divorce donate
    download earn edit employ end enjoy enrol enter establish exhibit export fail fear finish fix follow found
    graduate greet grant guide hate head help hike hire host import include inherit inspect install introduce invent
    invite invest join kayak kick kill knit launch learn lease like live locate love manage marry mend mentor miss
    move name need offer open order organise organize own pack paint park perform phone pick plan plant play
    practise practice prefer prepare present produce promise propose publish quote raise reach receive recommend
    record recover refuse rehearse release relocate renovate rent repair replace report rescue research reserve
    resign retire return review roast sail save schedule select serve settle share ship shoot sign sketch ski skate
    smell smoke speculate sponsor stain star start stay stop store study suggest supply support surf switch tailor
    taste tend test thank tour train translate travel treat try tune turn tutor use value visit volunteer vote wait
    walk want wash watch weigh welcome work worry
"""
_DOUBLED = "cancel plan ship stop travel enrol star prefer knit begin get put run set swim win"
_IRREGULAR = """
    become became become, begin began begun, break broke broken, bring brought brought, build built built, buy
    bought bought, catch caught caught, choose chose chosen, come came come, cost cost cost, draw drew drawn, drink
    drank drunk, drive drove driven, eat ate eaten, fall fell fallen, feed fed fed, find found found, fly flew
    flown, forget forgot forgotten, get got gotten, give gave given, go went gone, grow grew grown, hold held held,
    keep kept kept, lead led led, leave left left, lend lent lent, lose lost lost, make made made, meet met met, pay
    paid paid, put put put, quit quit quit, read read read, ride rode ridden, run ran run, sell sold sold, send sent
    sent, set set set, sing sang sung, sleep slept slept, speak spoke spoken, spend spent spent, steal stole stolen,
    swim swam swum, take took taken, teach taught taught, wear wore worn, win won won, write wrote written, know
    knew known, rise rose risen, show showed shown, sew sewed sewn, bear bore born
"""


def _ends_hissing(base: str) -> bool:
    return base.endswith(("s", "x", "z", "ch", "sh", "o"))


def present(base: str) -> str:
    """The third person singular of a verb: `lives`, `studies`, `teaches`."""
    if base.endswith("y") and base[-2] not in "aeiou":
        return base[:-1] + "ies"
    return base + ("es" if _ends_hissing(base) else "s")


def past(base: str) -> str:
    """The simple past of a verb: `lived`, `studied`, `wrote`."""
    return _PAST.get(base) or _regular(base, "ed")


def _regular(base: str, ending: str) -> str:
    if base in _DOUBLING:
        return base + base[-1] + ending
    if base.endswith("e") and not (ending == "ing" and base.endswith(("ee", "oe", "ye"))):
        return base[:-1] + ending if base[-2:] != "ie" or ending == "ed" else base[:-2] + "y" + ending
    if ending == "ed" and base.endswith("y") and base[-2] not in "aeiou":
        return base[:-1] + "ied"
    return base + ending


_ROWS = [row.split() for row in _IRREGULAR.split(",")]
_DOUBLING = frozenset(_DOUBLED.split())
_AMERICAN = (("ed", "past"), ("ing", "ing"))
_PAST = {base: past_form for base, past_form, _ in _ROWS}


def _all_forms() -> dict[str, Verb]:
    forms = {f"{base}{ending}": Verb(base, tense) for base in ("cancel", "travel") for ending, tense in _AMERICAN}
    for base in _REGULAR.split():
        _enter(forms, base, _regular(base, "ed"), "")
    for base, past_form, participle in _ROWS:
        _enter(forms, base, past_form, participle)
    return forms


def _enter(forms: dict[str, Verb], base: str, past_form: str, participle: str) -> None:
    forms[_regular(base, "ing")] = Verb(base, "ing")
    if participle and participle != base:
        forms[participle] = Verb(base, "participle")
    forms[past_form] = Verb(base, "past")
    forms[present(base)] = Verb(base, "present")
    forms.setdefault(base, Verb(base, "base"))


FORMS = _all_forms()
"""From each form of a known verb to what it says."""
