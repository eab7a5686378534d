"""German words and phrases, for searches."""

from memzoo.memories.search.languages.language import Language, RelativeDates

GERMAN = Language(
    stemmer="german",
    stop_words="""
    der das den dem des ein eine einen einem einer und oder aber ist sind bin bist sein seine seinen seiner hat
    habe hatte haben hatten wird wurde werden worden ich du er sie wir ihr mich mir dich dir ihn ihm uns euch
    mein meine meinen meinem meiner dein deine deinen deinem deiner unser unsere ihre ihren nicht kein keine
    auch noch nur schon mit von vom zu zum zur in auf aus bei nach seit vor für über unter gegen ohne um durch im
    am als wie was wer wen wem wo wohin woher wann warum welche welcher welches welchen dass wenn weil sich es
    da dort hier sehr kann kannst soll sollte muss wollen will viel viele
    """,
    months="januar/jänner, februar, märz, april, mai, juni, juli, august, september, oktober, november, dezember",
    dates=RelativeDates(
        days={"gestern": -1, "vorgestern": -2, "übermorgen": 2},
        weekdays="montag, dienstag, mittwoch, donnerstag, freitag, samstag/sonnabend, sonntag",
        counts="einem/einer, zwei, drei, vier, fünf, sechs, sieben, acht, neun, zehn",
        units="tag/tage/tagen, woche/wochen/wochenende, monat/monate/monaten, jahr/jahre/jahren",
        ago="vor {count} {unit}",
        last="letzte[mnsr]? {unit}",
        next="nächste[mnsr]? {unit}",
        hints=("gestern", "übermorgen", "vor ", "letzte", "nächste"),
    ),
    corrections="doch nicht|nicht mehr|stattdessen|korrektur|geändert|verschoben",
)
