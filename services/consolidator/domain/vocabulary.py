"""Pieces of regular expressions, of which the table of kinds is made."""

from shared.language.text.grammar import ADVERB

ADVERBS = rf"(?: {ADVERB}){{0,4}}"
SUBJECT = rf"\b(?:I|[Ww]e){ADVERBS}"
"""Matches the speaker, alone or with others, as the subject."""

I_AM = rf"\b(?:I am|I was|[Ww]e are|[Ww]e were){ADVERBS}"
"""Matches the speaker with a form of `be`."""

I_HAVE = rf"\b(?:I|[Ww]e){ADVERBS} ha(?:ve|d){ADVERBS}(?: got)?"
"""Matches the speaker with a form of `have`."""

MY = r"\b(?:[Mm]y|[Oo]ur)"
"""Matches `my` and `our`."""

FINITE = (
    "(?:is|isn't|are|aren't|was|wasn't|were|has|hasn't|have|haven't|had|does|doesn't|did|didn't|will|won't|can|can't|cannot"
    "|must|says?|wants?|lives?|works?|hates?|loves?|likes?|goes|needs?|hides?|snores?|gets?|makes?|takes?|starts?|ends?"
    "|begins?|plays?|runs?|speaks?|teaches|studies|owns?|comes?|eats?|hurts?|knows?|thinks?|prefers?|turns?|leaves?|moves?"
    "|sells?"
    "|arrives?|opens?|closes?|costs?|belongs?|keeps?|calls?|weighs?|publish(?:es)?|celebrates?|visits?|died|came|went|got"
    r"|left|found|gave|told|said|bought|broke|made|took|met|won|lost|began|ran|[a-z]{2,}(?<!e)ed)\b"
)
"""Matches a finite verb, which makes a sentence of the words before it."""

IS_SHORT = r"(?:'s (?:an?|in|at|from|getting|going|having|called|named|not|the|my|been|allergic|turning|[a-z]{3,}ing)\b)"
"""Matches `'s` that is short for `is` or `has`, not a possessive."""

THING = (
    "(?:name|nickname|birthday|job|title|role|address|e-?mail|phone|number|mobile|car|bike|house|flat|apartment|home|hometown"
    "|home town|office|blood type|employer|company|business|shop|store|studio|startup|salary|rent|shifts?|boat|degree|major"
    "|thesis|passport|visa|licen[cs]e|shoe size|size|height|weight|diet|time ?zone|pronouns|language|mother tongue|anniversary"
    "|wedding|surgery|operation|appointment|interview|exam|flight|train|holiday|vacation|trip|lease|contract|mortgage|course"
    "|class|lessons?|meeting|concert|race|marathon|garden|allergy|allergies|medication|diagnosis|knee|back|shoulder|ankle"
    "|eyesight"
    "|hearing|eyes|heart|blood pressure|skin|hair|budget|deadline|dissertation|landline|postcode|due date|room|desk|laptop"
    "|server|account|team|band|club|church|school|university|instrument|hobby|hobbies|religion|nationality)"
)
"""Matches what somebody can have that is worth remembering."""

NO_THING = (
    "(?:bit|little|lot|tad|few|mess|wreck|fool|idiot|moment|step|question|idea|problem|feeling|favou?r|point|minute|second"
    "|sec|request|doubt|thought|look|hunch|suggestion|confession|complaint|hard time|good|great|nice|bad|lovely|fun|long"
    "|busy|crazy|rough|tough|go|sense|chance|plan|couple|word|chat|quick|clue|fan of (?:it|that|this)|huge help|hard|blast"
    "|ball|error|bug|issue|reason|loss|bad|big day|day|week|night|list|text|file|script|function|table|similar|different"
    "|new one|total|real|one|same|robot|zombie|king|queen|potato|genius|machine|monster|disaster|headache|cold|fever"
    "|hangover|array|string|dataframe|variable|dictionary|column|csv|json"
    "|query|regex|bug|error|appointment|meeting|exam|booking|flight|interview|deadline)"
)
"""Matches what somebody is or has only for now, as a figure of speech, or in this conversation."""

WEAK = (
    "(?:be (?:there|here|honest|sure|clear|fair|able|back|right)|see|say|admit|ask|tell|know|check|think|let|make sure|talk"
    "|thank|hear|confess|agree|apologi[sz]e|mention|add|look|do (?:it|that|this|so)|get back|give it|keep|try|understand"
    "|find out|point|figure|learn more|go back|share|hug|cry|scream|laugh|sleep|eat|bet|believe|show|help|put|use|create"
    "|write a|print|make it|sort|parse|convert|install|generate|test|fix|debug|implement|have (?:fun|a)|be (?:great|fun|fine"
    r"|ok(?:ay)?|good|calm))\b"
)
"""Matches verbs about the conversation itself, after `want to`, `going to`, `have to`."""

CONDITION = (
    "(?:from|born|single|married|engaged|divorced|widowed|separated|vegan|vegetarian|pescatarian|diabetic|asthmatic|coeliac"
    "|jain|breastfeeding|fasting|dieting|teetotal|homeless|bankrupt|housebound|bedridden"
    "|type [12] diabetic|hard of hearing|in remission|in recovery|sober|in a (?:wheelchair|relationship)|off work|out of work"
    "|on (?:nights|earlies|lates|insulin|antidepressants|the pill|call|night shifts?|day shifts?|tablets|medication)"
    "|celiac|pregnant|retired|unemployed|self-employed|freelance|left-handed|right-handed|colou?r-?blind|deaf|blind|dyslexic"
    "|autistic|gay|lesbian|bisexual|trans|transgender|non-?binary|queer|straight|lactose|gluten|Muslim|Jewish|Christian"
    "|Catholic|Hindu|Buddhist|based|located|bilingual|on (?:an?|the) (?:[a-z]+ )?(?:diet|team|board|committee|council"
    "|shortlist|waiting list)|on (?:parental"
    "|maternity|paternity|sick) leave|in (?:my|the) (?:first|second|third|fourth|final|last) year)"
)
"""Matches a lasting state of somebody, after a form of `be`."""

PURSUIT = (
    "(?:studying|working (?:as|at|for|in|with|on|from)|living|training|teaching|volunteering|renting|renovating|recovering"
    "|saving (?:up )?for|learning (?!a lot|so much|more)|taking (?:an?|[a-z]+) (?:class|course|lessons)|raising|running an?"
    "|building an?|writing a (?:book|novel|thesis|memoir|screenplay|dissertation)|doing (?:a|my) (?:PhD|master|degree"
    "|internship))"
)
"""Matches what somebody does for a long time."""

DONE = (
    "(?:finished|started|settled (?:on|for)|agreed on|began|begun|moved|sold|adopted|lost|won|passed|failed|graduated"
    "|married|met|visited|broke|broken|quit"
    "|joined|published|submitted|launched|opened|completed|retired|resigned|accepted|travelled|traveled|been to|learned to"
    "|learnt to|built|wrote|written|founded|celebrated|hosted|attended|took up|taken up|hiked|climbed|inherited"
    "|changed(?! my mind)"
    "|cancelled|canceled|stopped|given up|gave up|switched|signed|applied|enrolled|registered|booked|hired|bought"
    "|got (?:into(?= [A-Z])|an?|my|the|our|married|engaged|promoted|fired|hired|accepted|divorced|laid)"
    "|pressed submit|went to|flew to|drove to|ran (?:an?|the|my|our|\\d)|was (?:diagnosed|promoted|fired|laid off"
    "|accepted|hired|born))"
)
"""Matches past events that are worth remembering."""

COMING = (
    "(?:trying to (?:eat|lose|quit|stop|save|learn|cut|give up|get (?:fit|pregnant|healthier|fitter)|reduce|drink|conceive"
    "|go vegan|be more|be less)|moving|leaving|quitting|getting married|getting divorced|expecting|starting (?:an?|my|at"
    "|as)|switching to|retiring"
    "|training for|applying|adopting|launching|staying (?:in|at|with)|buying an?|selling (?:my|our|the)|planning"
    "|thinking (?:of|about)|considering|hoping to|looking (?:for an?|to (?:buy|move|change|hire|sell))|aiming"
    "|about to(?! (?:say|ask|tell|go|leave|send|write|start cooking|eat|sleep)\\b)"
    "|supposed to|due to)"
)
"""Matches what somebody is about to do."""

WANT = "(?:plan(?:ned)?|want(?:ed)?|hope|intend|aim|decided|agreed|chose|would(?: really)? (?:like|love|prefer))"
"""Matches verbs of intention."""

BODY = (
    "(?:back|knees?|hips?|shoulders?|heart|stomach|ankles?|wrists?|neck|legs?|foot|feet|arms?|eyes?|ears?|disc|elbows?|toes?"
    "|achilles|hamstrings?|calf|groin|tendons?|ligaments?|cartilage|rotator cuff|thumb|fingers?|hands?|spine|liver|kidneys?"
    "|lungs?|skin|scalp|chest|jaw|teeth|tooth|ribs?|bladder|gut|tummy|throat)"
)
"""Matches a part of the body."""

NO_HABIT = (
    "dag|morgon|kväll|går|agree|look forward|am|was|were|have|had|has|did|will|would|can|could|shall|should|may|might|must"
    "|need|want|got|get|gotta|wanna|ought"
    "|see|look|seem|sound|feel|love|like|hate|enjoy|prefer|miss|thank|find|imagine|expect|plan|intend|doubt|admit|apologi[sz]e"
    "|recommend|suggest|try|keep|let|notice|reali[sz]e|decide|trust|mind|care|wait|stand|laugh|cry|start|finish|leave|stop|tell"
    "|ask|give|come|happen|end|put|add|begin|figure|count|hear|read|write|show|share|sit|lose|win|learn|grow up|grow and"
    "|bond|push"
    "|cannot|can't|couldn't|don't|didn't|won't|wouldn't|shouldn't|haven't|hadn't|isn't|ain't|never|just|do (?:not|agree"
    "|think|hope"
    "|know|love|like|enjoy|want|need|feel|mean|believe|understand|appreciate|wish|see|have|get|it|that|this|so|what|whatever)"
)
"""Matches what tells of no habit, in the present behind `I`; `i dag` is Swedish."""
