"""The vocabulary that searches need for languages with spaces between words, such as stop words and question words."""

# ruff: noqa: RUF001 - Cyrillic letters are meant

from memzoo.memories.search.languages.language import Language, RelativeDates
from memzoo.memories.text.days import MONTHS

ENGLISH = Language(
    stemmer="",
    stop_words="""
    a about am an and any are as at be been but by can could did do does for from had has have he her him his
    how i if in into is it its me my no not of on or our she should so some that the their them they this to us
    was we were what when where which who whom whose why will with would you your
    """,
    months=", ".join(MONTHS).lower(),
    dates=RelativeDates(
        days={"yesterday": -1, "last night": -1, "tomorrow": 1, "day before yesterday": -2, "day after tomorrow": 2},
        weekdays="monday, tuesday, wednesday, thursday, friday, saturday, sunday",
        counts="one/a, two/a couple of, three, four, five, six, seven, eight, nine, ten",
        units="day/days, week/weeks/weekend, month/months, year/years",
        ago="{count} {unit} ago",
        last="last {unit}",
        next="next {unit}",
        hints=("yesterday", "tomorrow", "last ", " ago", "next "),
    ),
    corrections=(
        r"actually|scratch that|forget (?:what|that)|change of plans?|put (?:back|off)"
        r"|correction:|no,? wait|wait,? no|on second thoughts?|never ?mind|i meant|my mistake|i misspoke"
        r"|i was wrong|mixed (?:\w+ ){0,2}up|no longer|overrid\w+|overrul\w+|postpone[ds]?|reschedul\w+|from now on"
        r"|as of (?:now|today|this|next|\w+day)|chang(?:e|ed|ing) (?:my|our) mind"
        r"|(?:chang(?:e|ed|ing)|moved?|pushed|switch(?:ed|ing)?|shifted|delayed|upgraded|go(?:ing)? back)\b"
        r"[^.!?\n]{0,40}\bto|(?:is|are|am|['\u2019](?:s|re|m)) now|now (?:is|are|am)|instead"
    ),
)

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

SPANISH = Language(
    stemmer="spanish",
    stop_words="""
    el la los las un una unos unas y o pero es son soy eres era eran fue fueron ser estar está están estoy
    estaba ha he han había hay yo tú él ella nosotros ellos ellas me te se nos le les lo mi mis tu tus su sus
    nuestro nuestra no sí también ya muy más de del al a en con sin por para desde hasta sobre entre que qué
    quién quiénes cuál cuáles cuándo cuánto cuánta cuántos cuántas cómo dónde adónde porque como cuando donde si
    este esta esto ese esa eso
    """,
    months=(
        "enero, febrero, marzo, abril, mayo, junio, julio, agosto, septiembre/setiembre, octubre, noviembre, diciembre"
    ),
    # "mañana" alone is as often the morning as tomorrow.
    dates=RelativeDates(
        days={"ayer": -1, "anoche": -1, "anteayer": -2, "pasado mañana": 2},
        weekdays="lunes, martes, miércoles, jueves, viernes, sábado, domingo",
        counts="un/una, dos, tres, cuatro, cinco, seis, siete, ocho, nueve, diez",
        units="día/días, semana/semanas/fin de semana, mes/meses, año/años",
        ago="hace {count} {unit}",
        last="{unit} pasad[oa]",
        next="próxim[oa] {unit}",
        hints=("ayer", "anoche", "hace ", "pasad", "próxim"),
    ),
    corrections=(
        "en realidad|mejor dicho|me equivoqué|ya no|cambi(?:é|amos) de (?:idea|opinión|planes)|cambio de planes"
        "|a partir de (?:ahora|hoy)|ahora (?:es|son|está)|en vez de|en lugar de|aplaz\\w+|pospuest[oa]s?"
    ),
)

PORTUGUESE = Language(
    stemmer="portuguese",
    stop_words="""
    o a os as um uma uns umas e ou mas é são sou era eram foi foram ser estar está estão estou estava tem tenho
    têm tinha há eu tu você vocês ele ela nós eles elas me te se nos lhe meu minha meus minhas teu tua seu sua
    seus suas nosso nossa não sim também já muito mais de do da dos das ao à aos às em no na nas num numa com
    sem por pelo pela para desde até sobre entre que quê quem qual quais quando quanto quanta quantos quantas
    como onde aonde porque este esta isto esse essa isso
    """,
    months=("janeiro, fevereiro, março, abril, maio, junho, julho, agosto, setembro, outubro, novembro, dezembro"),
    dates=RelativeDates(
        days={"ontem": -1, "anteontem": -2, "amanhã": 1, "depois de amanhã": 2},
        weekdays=(
            "segunda-feira/segunda, terça-feira/terça, quarta-feira/quarta, quinta-feira/quinta, sexta-feira/sexta, "
            "sábado, domingo"
        ),
        counts="um/uma, dois/duas, três, quatro, cinco, seis, sete, oito, nove, dez",
        units="dia/dias, semana/semanas/fim de semana, mês/meses, ano/anos",
        ago="há {count} {unit}",
        last="{unit} passad[oa]",
        next="próxim[oa] {unit}",
        hints=("ontem", "amanhã", "há ", "passad", "próxim"),
    ),
    corrections=(
        "na verdade|ou melhor|enganei-me|me enganei|já não|mud(?:ei|amos) de (?:ideia|planos)|mudança de planos"
        "|a partir de (?:agora|hoje)|agora (?:é|são|está)|em vez de|adiad[oa]s?"
    ),
)

RUSSIAN = Language(
    stemmer="russian",
    stop_words="""
    и в во не на я ты он она оно мы вы они меня мне тебя тебе его ему её ей нас нам вас вам их им мой моя моё
    мои моего моей моим моих твой твоя твои твоего твоей наш наша наши ваш ваша свой своя свою своей с со к ко у
    о об от до из за по под над при про для без через что кто кого кому чем где куда откуда когда как какой
    какая какое какие какую какого сколько почему зачем чей чья это этот эта эти то тот та те а но или если же
    ли бы был была было были есть быть будет уже ещё еще тоже так там тут здесь очень только все всё
    """,
    months=(
        "январь/января/январе, февраль/февраля/феврале, март/марта/марте, апрель/апреля/апреле, май/мая/мае, "
        "июнь/июня/июне, июль/июля/июле, август/августа/августе, сентябрь/сентября/сентябре, "
        "октябрь/октября/октябре, ноябрь/ноября/ноябре, декабрь/декабря/декабре"
    ),
    dates=RelativeDates(
        days={"вчера": -1, "позавчера": -2, "завтра": 1, "послезавтра": 2},
        weekdays="понедельник, вторник, среда/среду, четверг, пятница/пятницу, суббота/субботу, воскресенье",
        counts="один/одну, два/две, три, четыре, пять, шесть, семь, восемь, девять, десять",
        units="день/дня/дней, неделя/неделю/недели/неделе/недель, месяц/месяца/месяце/месяцев, год/года/году/лет",
        ago="(?:{count} )?{unit} назад",
        last="прошл(?:ой|ом|ый|ую|ое) {unit}",
        next="следующ(?:ей|ем|ий|ую|ее) {unit}",
        hints=("вчера", "завтра", "назад", "прошл", "следующ"),
    ),
    corrections=(
        "на самом деле|вернее|больше не|уже не|передумал\\w*|ошиб(?:ся|лась)|теперь|вместо|перенес\\w+|перенёс\\w*"
        "|отлож\\w+|измен(?:ил|ён|ен)\\w*"
    ),
)

LANGUAGES = (ENGLISH, GERMAN, SPANISH, PORTUGUESE, RUSSIAN)
"""The languages with spaces between their words that searches know."""
