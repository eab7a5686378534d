"""Spanish."""

from memzoo.memories.search.languages.language import Language

__all__ = ["SPANISH"]

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
        "enero, febrero, marzo, abril, mayo, junio, julio, agosto, septiembre setiembre, octubre, noviembre, diciembre"
    ),
)
