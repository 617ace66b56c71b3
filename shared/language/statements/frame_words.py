"""Words by which facts and answers are read, whatever they are about: in English, German, Spanish and French."""

RELATIVE = frozenset(
    """
    yesterday today tonight tomorrow tmrw ago last next this now just since recently finally week weekend month year summer
    winter autumn fall spring morning evening expecting due eve christmas easter birthday anniversary
    silvester weihnachten ostern geburtstag gestern heute morgen übermorgen letzte letzten nächste nächsten vor seit
    navidad cumpleaños ayer hoy mañana próximo próxima pasado pasada desde hace
    noël anniversaire hier aujourd'hui demain prochain prochaine dernier dernière depuis
    """.split()  # noqa: SIM905 - a list of words reads best as words
)
"""Words from which, with the day on which they are said, a date can be worked out."""

FRAME = frozenset(
    """
    user user's users speaker person somebody someone theirs themselves themself client persona personne
    nutzer nutzerin nutzers benutzer benutzerin usuario usuaria utilisateur utilisatrice
    is does did has have had having been being own owns owned use uses used using get gets got getting goes going
    take takes took make makes made keep keeps named called name call names calls want wants
    wanted like likes prefer prefers enjoys would could may might plan plans planned planning work works lives live
    living states said says mentioned told asked remember
    remembered know known not never don't doesn't isn't no longer currently also still now only
    year years old month months day days week weeks time times since until from ago before after about around approximately
    o'clock per regular usual usually often always current next last first second third
    one both together another other others more most much many few several some new big small good bad main
    thing things way lot kind part bit up down out off well very
    because which whose while when where there their they them who whom than then
    heißt hat haben ist sind namens jahre jahr seit wohnt arbeitet mag
    tiene es está años año vive trabaja llama gusta desde
    a ans s'appelle est habite travaille aime depuis
    """.split()  # noqa: SIM905
)
"""Words of which a fact consists whatever it states: they are no evidence, and need none."""

AFFIRMING = frozenset(
    """
    yes yeah yep yup sure ok okay right exactly correct indeed please ja genau stimmt sí si claro oui voilà
    """.split()  # noqa: SIM905
)
"""Words with which somebody agrees to what was asked."""

NAMING = frozenset("heißt heisst namens genannt nennt named called".split())  # noqa: SIM905
"""Words after which a name stands."""

RANKING = frozenset(
    """
    oldest youngest eldest middle ältester älteste jüngster jüngste mayor menor aînée aîné cadette cadet
    """.split()  # noqa: SIM905
)
"""Words by which somebody of three is one with two others."""

DENYING = frozenset("no nope nah not nein nicht non never wrong".split())  # noqa: SIM905
"""Words with which somebody denies it."""
