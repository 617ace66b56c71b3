"""Which pairs of texts are one memory. The table is the rule: a pair that differs in what matters never merges."""

import itertools
import unicodedata
from collections.abc import Callable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from services.ingest.domain.likeness import Likeness, likeness, match
from shared.domain.digests import Digester
from shared.language.text import tokens
from shared.language.text.tokens import surface

DIGESTER = Digester(b"k" * 32)
OTHER = Digester(b"o" * 32)
SENTENCE = (
    "Anna keeps a wooden boat in the harbour of Utrecht and paints the deck every spring with her neighbour from upstairs. "
)
THINGS = "kettle lantern ladder carpet hammer bottle window basket candle pillow saddle guitar mirror bucket".split()  # noqa: SIM905
PLACES = "kitchen cellar garden harbour market station library".split()  # noqa: SIM905
LONG = (
    SENTENCE
    + "".join(  # 5,000 characters
        f"The {thing} from the {place} was repaired by {THINGS[(7 * n + 3) % 14]} makers. "
        for n, (thing, place) in enumerate((thing, place) for thing in THINGS for place in PLACES[:6])
    )
)

SAME = [
    # the same words
    ("Anna likes tea", "Anna likes tea"),
    ("Anna likes tea", "anna LIKES Tea"),
    ("Anna likes tea", "  Anna   likes\n\ttea "),
    ("Anna likes tea", "Anna likes tea."),
    ("Anna likes tea.", "Anna likes tea!!!"),
    ("Anna likes tea, milk, and sugar", "Anna likes tea milk and sugar"),
    ('Anna said "hello there"', "Anna said “hello there”"),
    ("Anna's boat — the old one — is here", "Anna’s boat - the old one - is here"),
    ("Anna likes tea", "Anna\u200b likes\u00a0tea\u202c"),
    ("Anna likes tea", "Ａｎｎａ ｌｉｋｅｓ ｔｅａ"),
    ("the office is on the first floor", "The ofﬁce is on the first floor"),
    ("It is a follow-up meeting", "it is a follow up meeting"),
    ("**Anna** likes _tea_", "Anna likes tea"),
    # articles, fillers, politeness
    ("Anna really likes tea", "Anna likes tea"),
    ("Anna is very fond of her dog", "Anna is fond of her dog"),
    ("I have a dog", "I have the dog"),
    ("Well, I like tea", "I like tea"),
    ("Please remember that Anna likes tea", "Anna likes tea"),
    ("By the way, my sister lives in Rome", "My sister lives in Rome."),
    ("Call me Ben please", "Call me Ben"),
    ("Um, I work, uh, at the hospital", "I work at the hospital"),
    ("Anna likes tea very much", "Anna likes tea"),
    ("I sooo want, reallyyy want a boat", "I sooo want really want a boat"),
    # contractions and spellings
    ("I'm a nurse", "I am a nurse"),
    ("I don't eat fish", "I do not eat fish"),
    ("I dont eat fish", "I don’t eat fish"),
    ("She's a doctor", "She is a doctor"),
    ("Anna's allergic to nuts", "Anna is allergic to nuts"),
    ("My name's Anna", "My name is Anna"),
    ("Anna's in the garden", "Anna is in the garden"),
    ("We can't swim", "We cannot swim"),
    ("They'll visit us", "They will visit us"),
    ("My favourite colour is grey", "My favorite color is gray"),
    ("I'm gonna move to Rome", "I am going to move to Rome"),
    # numbers, times and dates in another dress
    ("I have two cats", "I have 2 cats"),
    ("My house cost 1,000 dollars", "My house cost $1000"),
    ("The rent is $1,200.50", "the rent is $1200.5"),
    ("I am thirty-five years old", "I am 35 years old"),
    ("The meeting is at 3pm", "The meeting is at 15:00"),
    ("The meeting is at 3 p.m.", "the meeting is at 3:00 PM"),
    ("My birthday is 3 May 1990", "My birthday is May 3rd, 1990"),
    ("My birthday is the 3rd of May 1990", "my birthday is 1990-05-03"),
    ("I run 5km daily", "I run 5 kilometres daily"),
    ("About 50% of us agree", "About fifty percent of us agree"),
    ("I came third", "I came 3rd"),
    ("It has two thousand five hundred and three pages", "It has 2,503 pages"),
    ("A hundred people came", "100 people came"),
    ("The house costs 2.5 million", "The house costs 2,500,000"),
    # citations and URLs
    ("Anna likes tea [1]", "Anna likes tea [2, 3]"),
    ("Anna likes tea [ep_12ab]", "Anna likes tea"),
    ("Tea is healthy (Smith et al., 2020)", "Tea is healthy"),
    ("See https://tea.example/a for tea", "see HTTPS://TEA.example/a for tea"),
    ("See https://www.tea.example/ for tea", "see http://tea.example for tea"),
    ("See https://tea.example/a?utm_source=mail&utm_medium=x for tea", "See https://tea.example/a for tea"),
    ("See https://tea.example/a?id=1&fbclid=Ab-9#top for tea", "See https://tea.example/a?id=1#top for tea"),
    ("See https://tea.example/a?gclid=x&id=1 for tea", "See https://tea.example/a?id=1 for tea"),
    ("See <https://tea.example/a> for tea", "See https://tea.example/a for tea"),
    # order of parts
    ("In the morning, Anna drinks tea.", "Anna drinks tea in the morning"),
    ("If it rains, I stay at home", "I stay at home if it rains"),
    ("On Monday Anna flies to Paris", "Anna flies to Paris on Monday"),
    # neutral words
    ("Anna says that she works at the hospital", "Anna says she works at the hospital"),
    # emoji
    ("I love pizza with basil 🍕", "I love pizza with basil"),
    ("I love pizza 👍🏽", "I love pizza 👍"),
    ("I love hiking ❤️", "I love hiking ❤"),
    ("I love hiking 🎉🎉🎉", "I love hiking 🎉"),
    ("🍕🍕", "🍕"),
    # other languages
    ("Ich trinke jeden Morgen Tee", "ich trinke jeden morgen tee!"),
    ("Meine Straße ist ruhig", "MEINE STRASSE IST RUHIG"),
    ("J’aime le thé", "j'aime le thé"),
    ("¿Te gusta el té?", "te gusta el té?"),
    ("Мне нравится чай", "мне нравится ЧАЙ."),
    ("我喜欢喝茶。", "我 喜欢 喝茶"),
    ("私は紅茶が好きです", "私は紅茶が好きです。"),
    ("나는 차를 좋아한다", "나는 차를 좋아한다."),
    ("أحب الشاي", "أحـب الشاي"),
    ("मुझे चाय पसंद है।", "मुझे चाय पसंद है"),
    # 5,000 characters
    (LONG, LONG),
    (LONG, LONG.upper()),
    (LONG, LONG.replace(".", " !").replace("  ", "\n")),
    (LONG, LONG.replace(" and paints", " and really paints")),
    (LONG, LONG.replace("wooden", "wodden", 1)),  # a slip of the pen
    (LONG, LONG + "Please."),
]

TRIVIAL = {
    "full stop": "{}.",
    "exclamation marks": "{}!!",
    "an ellipsis": "{}…",
    "a comma left over": "{},",
    "in brackets": "({})",
    "in quotes": '"{}"',
    "in curly quotes": "“{}”",
    "space around": "  {}\n",
    "emoji": "{} 🙂",
    "emoji of a hand": "{} 👍🏽🎉",
    "emoji before": "😋 {}",
    "a smile": "{} :)",
    "a grin": "{} :-D",
    "a laugh": "{}! xD",
    "lol": "{} lol",
    "a citation": "{} [1]",
    "two citations": "{}.[2][3]",
    "a footnote": "{} [^1]",
    "as bots cite": "{}【4†source】",
    "a source": "{} [source]",
    "please before": "Please remember that {}",
    "please behind": "{}, please",
    "thanks": "{} - thanks!",
    "a note": "Note: {}",
    "please note": "Please note: {}",
    "a reminder": "Reminder: {}",
    "to be remembered": "Remember: {}",
    "for the record": "For the record: {}",
    "by the way": "By the way, {}",
    "by the way behind": "{}, by the way",
    "btw": "{} btw",
    "fyi": "{}, fyi",
    "a greeting": "Hey! {}",
    "well": "Well, {}",
    "bold": "**{}**",
    "italic": "_{}_",
    "code": "`{}`",
    "a list": "- {}",
    "a bullet": "• {}",
    "a byte order mark": "\ufeff{}",
}
PLAIN = [
    "I like sushi",
    "My sister's name is Ada",
    "I don't eat meat",
    "My flight is on 3 May at 10:30",
    "I have 3 cats and 2 dogs",
    "My dog's name is Müller",
]
CHANGED = {
    "case": str.upper,
    "double spaces": lambda text: text.replace(" ", "  "),
    "other spaces": lambda text: text.replace(" ", "\u00a0"),
    "tabs": lambda text: text.replace(" ", "\t"),
    "a line end": lambda text: text.replace(" ", "\n", 1),
    "entities": lambda text: text.replace("'", "&#39;").replace(" ", "&nbsp;", 1),
    "curly apostrophes": lambda text: text.replace("'", "’"),
    "composed": lambda text: unicodedata.normalize("NFD", text),
    "full width": lambda text: "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text),
    "an invisible space": lambda text: f"{text[:3]}\u200b{text[3:]}",
    "a soft hyphen": lambda text: f"{text[:4]}\u00ad{text[4:]}",
}

DIFFERENT = [
    # what looks like a trivial edit and is none
    ("I like sushi", "I lkie sushi"),  # a slip in a short text may be another word, or a name
    ("I met Tina", "I met Tian"),
    ("Remember my birthday", "My birthday"),
    ("Note the time of the train", "The time of the train"),
    ("I own a house by the way", "I own a house"),
    ("Henry VIII is my hero", "Henry VI is my hero"),
    ("1. Liga is what I watch", "2. Liga is what I watch"),
    ("I weigh > 80 kg", "I weigh 80 kg"),
    ("I like tea :(", "I like tea :)"),
    ("See https://a.example/x?id=1&utm_id=5 now", "See https://a.example/x?id=5&utm_id=1 now"),
    ("See https://a.example/x?utm=1 now", "See https://a.example/x now"),
    ("I work at R&amp;D", "I work at R"),
    ("My plan is D", "My plan is :D"),
    # numbers
    ("I have 2 cats", "I have 3 cats"),
    ("I have two cats", "I have three cats"),
    ("I have two cats", "I have cats"),
    ("The rent is 1000", "The rent is 10000"),
    ("The rent is 1.5", "The rent is 15"),
    ("The rent is $5", "The rent is €5"),
    ("It is -5 degrees", "It is 5 degrees"),
    ("About 5% agree", "About 5 agree"),
    ("I run 5 km", "I run 5 miles"),
    ("The field is 10² meters", "The field is 102 meters"),
    ("I drank 10½ cups", "I drank 101/2 cups"),
    ("Anna is 5 and Bob is 7", "Anna is 7 and Bob is 5"),
    ("Twenty, five of them red", "Twenty-five of them red"),
    ("Version 1.2.3 is out", "Version 1.2.4 is out"),
    ("My code is 007", "My code is 7"),
    ("It cost two thousand million", "It cost two thousand"),
    ("The code is five hundred zero twenty", "The code is five hundred twenty"),
    ("My key is 1234567890123456789012345678901", "My key is 1234567890123456789012345678902"),
    ("A hundred " * 40, "A hundred " * 41),
    ("I came second", "I came third"),
    ("It scored 3:1", "It scored 3-1"),
    # dates and times
    ("The trip is on 3 May", "The trip is on 4 May"),
    ("The trip is on 3 May", "The trip is on 3 June"),
    ("I moved in 2019", "I moved in 2020"),
    ("I moved on 2024-05-03", "I moved on 2024-03-05"),
    ("The meeting is at 3pm", "The meeting is at 3am"),
    ("The meeting is at 15:00", "The meeting is at 15:30"),
    ("I see Anna on Monday", "I see Anna on Tuesday"),
    ("I see Anna in May", "I see Anna in June"),
    ("I see Anna today", "I see Anna tomorrow"),
    ("I see Anna in the morning", "I see Anna in the evening"),
    ("Anna arrived last week", "Anna arrives next week"),
    # negations
    ("I like tea", "I don't like tea"),
    ("I eat meat", "I never eat meat"),
    ("I take it with sugar", "I take it without sugar"),
    ("Anna has a car", "Anna has no car"),
    ("I can swim", "I can't swim"),
    ("I still smoke", "I no longer smoke"),
    ("I am not very hungry", "I am not hungry"),
    ("Anna is happy", "Anna is unhappy"),
    ("Ich mag Tee", "Ich mag keinen Tee"),
    ("Je mange de la viande", "Je ne mange pas de viande"),
    ("Me gusta el té", "No me gusta el té"),
    ("Я люблю чай", "Я не люблю чай"),
    ("我喜欢茶", "我不喜欢茶"),
    ("私は肉を食べます", "私は肉を食べません"),
    # names
    ("Anna likes tea", "Eva likes tea"),
    ("anna likes tea", "eva likes tea"),
    ("Anna called Bob", "Bob called Anna"),
    ("Anna is older than Bob", "Bob is older than Anna"),
    ("Anna flew from Rome to Paris", "Anna flew from Paris to Rome"),
    ("With Bob Anna went to Rome", "With Anna Bob went to Rome"),
    ("I met @ben", "I met @eva"),
    ("Write to anna@example.org", "Write to anna@example.com"),
    ("I write C", "I write C++"),
    ("I take vitamin A", "I take vitamin"),
    ("张三喜欢喝茶", "李四喜欢喝茶"),
    # URLs
    ("I like this https://a.example/1", "I like this https://a.example/2"),
    ("I like this https://a.example/?q=1", "I like this https://a.example/?q=2"),
    ("I like this https://a.example", "I like this"),
    ("https://a.example", "https://b.example"),
    ("See bit.example/abc", "See bit.example/abC"),
    # one word that turns it
    ("Anna's cat is black and lazy and old and always hungry", "Anna's cat is white and lazy and old and always hungry"),
    ("The dog bit the man", "The man bit the dog"),
    ("Turn left at the church", "Turn right at the church"),
    ("I drink before dinner", "I drink after dinner"),
    ("He likes tea", "She likes tea"),
    ("I like tea", "I dislike tea"),
    ("I started smoking", "I stopped smoking"),
    ("I will buy a boat", "I bought a boat"),
    ("I have few friends", "I have a few friends"),
    ("I drink tea or coffee", "I drink tea and coffee"),
    ("All my friends swim", "Some of my friends swim"),
    ("Anna's boss is ill", "Anna is ill"),
    ("My ex-wife lives in Rome", "My wife lives in Rome"),
    ("Anna eats fish only on Friday", "Only Anna eats fish on Friday"),
    ("I want tea", "I want teas and cakes"),
    ("You are coming", "You are coming?"),
    ("Anna is late", "Is Anna late"),
    ("Llamó Ana", "Llamó a Ana"),
    ("किताब", "कताब"),
    # emoji
    ("I love 🍕", "I love 🍣"),
    ("🍕", "🍣"),
    ("I saw the new plan 👍", "I saw the new plan 👎"),
    ("I saw the new plan", "I saw the new plan 👎"),
    ("I love my boss so much 🙄", "I love my boss so much"),
    ("I support the team 🇳🇱", "I support the team 🇩🇪"),
    ("My favourite food is 🍕", "My favourite food is 🍣"),
    # 5,000 characters
    (LONG, LONG.replace("every spring", "on Monday", 1)),
    (LONG + "We meet on Monday.", LONG + "We meet on Tuesday."),
    (LONG + "I like tea.", LONG + "I do not like tea."),
    (LONG + "Anna owns 2 boats.", LONG + "Anna owns 3 boats."),
    (LONG, LONG.replace("Anna", "Eva", 1)),
    (LONG, LONG.replace("Utrecht", "Leiden", 1)),
    (LONG + "https://a.example/1", LONG + "https://a.example/2"),
    (LONG, LONG + "She also has three cats."),
    ("我住在海边的一栋老房子里。" * 400, "我住在海边的一栋老房子里。" * 399 + "我住在山边的一栋老房子里。"),
]


def matched(one: str, other: str) -> bool:
    return match(likeness(one, DIGESTER), likeness(other, DIGESTER)) is not None


@pytest.mark.parametrize(("one", "other"), SAME, ids=range(len(SAME)))
def test_an_edit_of_no_weight_is_a_repeat(one: str, other: str) -> None:
    assert matched(one, other)
    assert matched(other, one)


@pytest.mark.parametrize("text", PLAIN)
@pytest.mark.parametrize("edit", TRIVIAL.values(), ids=list(TRIVIAL))
def test_a_trivially_edited_repeat_is_a_repeat(text: str, edit: str) -> None:
    assert matched(text, edit.format(text))


@pytest.mark.parametrize("text", PLAIN)
@pytest.mark.parametrize("change", CHANGED.values(), ids=list(CHANGED))
def test_the_same_in_another_dress_is_a_repeat(text: str, change: Callable[[str], str]) -> None:
    assert matched(text, change(text))


@pytest.mark.parametrize("edit", TRIVIAL.values(), ids=list(TRIVIAL))
def test_no_trivial_edit_makes_two_facts_one(edit: str) -> None:
    for one, other in itertools.combinations(PLAIN, 2):
        assert not matched(one, edit.format(other))


@pytest.mark.parametrize(("one", "other"), DIFFERENT, ids=range(len(DIFFERENT)))
def test_what_differs_in_what_matters_never_merges(one: str, other: str) -> None:
    assert not matched(one, other)
    assert not matched(other, one)


def test_it_is_told_how_a_repeat_was_recognised() -> None:
    exact = match(likeness("Anna likes tea", DIGESTER), likeness("ANNA likes tea!", DIGESTER))
    looser = match(
        likeness("Anna says that she works at the hospital", DIGESTER),
        likeness("Anna says she works at the hospital", DIGESTER),
    )
    nearest = match(likeness(LONG, DIGESTER), likeness(LONG.replace("kettle", "kettel", 1), DIGESTER))
    assert exact is not None
    assert looser is not None
    assert nearest is not None
    assert (exact.kind, exact.distance, exact.similarity) == ("exact", 0, 1.0)
    assert (looser.kind, looser.similarity) == ("jaccard", 6 / 7)
    assert nearest.kind == "simhash"
    assert nearest.distance is not None
    assert nearest.distance <= 3


words = st.lists(
    st.sampled_from(
        "Anna Bob likes calls not 3 4 tea the Monday Tuesday in with , . never 🍕 👎 https://a.example really 茶 Straße".split()  # noqa: SIM905
    ),
    max_size=12,
).map(" ".join)
texts = words | st.text(max_size=60)


@given(texts)
@example("İ ½ﬁ \u200b[1] HTTPS://A.example/")
def test_a_text_repeats_itself_in_any_case_and_space(text: str) -> None:
    one = likeness(text, DIGESTER)
    found = match(one, likeness(f"  {text} ", DIGESTER))
    assert found is not None
    assert found.kind == "exact"


@given(words)
def test_upper_case_changes_nothing(text: str) -> None:
    assert matched(text, text.upper())


@given(words, words)
def test_a_match_is_symmetric(one: str, other: str) -> None:
    first, second = likeness(one, DIGESTER), likeness(other, DIGESTER)
    assert match(first, second) == match(second, first)


@given(words, words)
def test_a_match_is_found_by_one_of_the_keys(one: str, other: str) -> None:
    first, second = likeness(one, DIGESTER), likeness(other, DIGESTER)
    if (found := match(first, second)) is None:
        return
    assert (first.digest == second.digest) if found.kind == "exact" else first.key == second.key


@given(words, words)
def test_other_guards_never_match(one: str, other: str) -> None:
    first, second = likeness(one, DIGESTER), likeness(other, DIGESTER)
    torn = Likeness(second.digest, second.simhash, bytes(byte ^ 0xFF for byte in second.guard), second.tokens)
    assert match(second, torn) is None
    if match(first, second) is not None and first.digest != second.digest:
        assert first.guard[:13] == second.guard[:13]


@given(words.filter(lambda text: any(map(str.isalpha, text))))
def test_another_key_gives_other_hashes(text: str) -> None:
    one, other = likeness(text, DIGESTER), likeness(text, OTHER)
    assert one.digest != other.digest
    assert one.guard != other.guard
    assert not set(_hashes(one)) & set(_hashes(other))


def _hashes(one: Likeness) -> list[bytes]:
    return [one.tokens[place : place + 8] for place in range(0, len(one.tokens), 8)]


def test_a_likeness_is_the_same_for_ever() -> None:
    """Written down once: another value without another VERSION would make ingest forget what it knows."""
    found = likeness("Anna likes 2 cups of tea", DIGESTER)
    assert found.digest.hex() == "df18edaae240d20f980f477b3da41034"


def test_a_pattern_is_spared_only_where_it_would_find_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [text for pair in (*SAME, *DIFFERENT) for text in pair]
    spared = [surface(text) for text in texts]
    whole = tokens._pattern(has_numbers=True)
    monkeypatch.setattr(tokens, "_pattern", lambda **_: whole)
    assert spared == [surface(text) for text in texts]


@given(st.text(st.sampled_from("ab12٣²@.,:/-'()<wWoxDpm?!#é寿❤ "), max_size=30))
def test_a_text_without_numbers_has_the_same_pieces_by_either_pattern(text: str) -> None:
    found = surface(text)
    with pytest.MonkeyPatch.context() as patch:
        whole = tokens._pattern(has_numbers=True)
        patch.setattr(tokens, "_pattern", lambda **_: whole)
        assert surface(text) == found
