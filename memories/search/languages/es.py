"""Spanish words and phrases, for searches."""

from memzoo.memories.search.languages.language import Language, RelativeDates

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
