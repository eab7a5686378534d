"""Portuguese words and phrases, for searches."""

from memzoo.memories.search.languages.language import Language, RelativeDates

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
