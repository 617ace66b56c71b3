"""What English sentences are read as: commands that are sure, commands that ask back, and look-alikes that are none."""

from __future__ import annotations

import pytest

from shared.language.commands.command import ChatCommand, ChatCommandName, CommandScope
from shared.language.commands.reading import read_answer, read_chat_command, read_chat_commands

SURE = [
    # forget that
    ("forget that", "forget_that", None),
    ("Forget that.", "forget_that", None),
    ("FORGET THAT!!!", "forget_that", None),
    ("Please forget that 🙏", "forget_that", None),
    ("forget this please", "forget_that", None),
    ("Could you forget that?", "forget_that", None),
    ("Can you please just forget that, thanks", "forget_that", None),
    ("hey bot, forget that", "forget_that", None),
    ("Ok, forget that one", "forget_that", None),
    ("Yes, forget that", "forget_that", None),
    ("ok forget that", "forget_that", None),
    ("forget that and turn memory off", "forget_that", None),
    ("I'd like you to forget that.", "forget_that", None),
    ("Forget what I just said", "forget_that", None),
    ("forget the last thing I told you", "forget_that", None),
    ("Please delete that memory", "forget_that", None),
    ("Remove that from your memory", "forget_that", None),
    ("I don't want you to remember that", "forget_that", None),
    ("Please don't remember this.", "forget_that", None),
    ("**forget that**", "forget_that", None),
    ("I said something stupid. Forget that, please.", "forget_that", None),
    # forget about
    ("forget what I said about Bob", "forget_about", "Bob"),
    ("Please forget everything I told you about my ex-husband.", "forget_about", "my ex-husband"),
    ("forget everything you know about my job", "forget_about", "my job"),
    ("Forget everything about the surprise party", "forget_about", "the surprise party"),
    ("delete what you know about my health", "forget_about", "my health"),
    ("Erase everything you have saved about Dr. Miller", "forget_about", "Dr. Miller"),
    ("forget my address", "forget_about", "my address"),
    ("Would you mind forgetting my address? Just forget my address.", "forget_about", "my address"),
    ("don't remember my phone number", "forget_about", "my phone number"),
    ("forget that I'm vegan", "forget_about", "I'm vegan"),
    ("Please forget that I told you I was pregnant", "forget_about", "I told you I was pregnant"),
    ("Remove my birthday from your memory", "forget_about", "my birthday"),
    ("delete all memories about Paris, please", "forget_about", "Paris"),
    ('forget everything about "Project X"', "forget_about", "Project X"),
    ("forget what i've told you about the money, it was a mistake", "forget_about", "the money"),
    ("forget our conversation about the divorce", "forget_about", "the divorce"),
    ("I moved to Oslo. Forget what I said about Bergen!", "forget_about", "Bergen"),
    ("I changed my mind, so please forget what I said about Bergen", "forget_about", "Bergen"),
    ("Can you forget what I told you about Ann and Tom?", "forget_about", "Ann and Tom"),
    ("forgt what i said about bob", "forget_about", "bob"),
    ("forget waht I said abuot Bob", "forget_about", "Bob"),
    ("scrap the bit about my job at Aldi", "forget_about", "my job at Aldi"),
    ("get my tax number out of ur memory pls", "forget_about", "my tax number"),
    ("strike my shoe size from your notes", "forget_about", "my shoe size"),
    ("no longer remember that i'm vegan", "forget_about", "i'm vegan"),
    ("pls remove that i work at Siemens", "forget_about", "i work at Siemens"),
    ("what I said earlier stays between us", "forget_that", None),
    ("The following isn't for saving", "not_next", None),
    # forget me, forget this chat
    ("forget everything about me", "forget_me", None),
    ("Delete all my memories", "forget_me", None),
    ("Please erase everything you know about me.", "forget_me", None),
    ("wipe all your memories of me", "forget_me", None),
    ("Could you delete everything you've stored about me?", "forget_me", None),
    ("forget everything I've ever told you", "forget_me", None),
    ("forget all about me", "forget_me", None),
    ("Forget this conversation", "forget_chat", None),
    ("please delete this chat from your memory", "forget_chat", None),
    ("Forget everything I said in this chat", "forget_chat", None),
    # what is known
    ("what do you remember about Bob?", "ask_about", "Bob"),
    ("What do you know about me?", "ask_about", None),
    ("what do u remember abt my sister", "ask_about", "my sister"),
    ("Hey, what do you know about my job?", "ask_about", "my job"),
    ("What have I told you about my kids?", "ask_about", "my kids"),
    ("Tell me what you remember about the trip to Rome.", "ask_about", "the trip to Rome"),
    ("Could you tell me what you know about me?", "ask_about", None),
    ("Show me my memories", "ask_about", None),
    ("what have you stored about me", "ask_about", None),
    ("Do you remember anything about Lisa?", "ask_about", "Lisa"),
    ("do you remember my name?", "ask_about", "my name"),
    ("What do you remember?", "ask_about", None),
    ("Waht do you rember about Bob", "ask_about", "Bob"),
    ("what's in your memory about my car?", "ask_about", "my car"),
    # remember
    ("remember that I am allergic to nuts", "remember_that", "I am allergic to nuts"),
    ("Please remember that I'm allergic to nuts, ok?", "remember_that", "I'm allergic to nuts"),
    ("Please remember: my gate code is 4417", "remember_that", "my gate code is 4417"),
    ("Note that my flight leaves at 10:30.", "remember_that", "my flight leaves at 10:30"),
    ("make a note that Bob's birthday is on 3 May", "remember_that", "Bob's birthday is on 3 May"),
    ("Don't forget that my mum is visiting on Friday", "remember_that", "my mum is visiting on Friday"),
    ("dont forget that I hate olives!", "remember_that", "I hate olives"),
    ("Remember I'm left-handed.", "remember_that", "I'm left-handed"),
    ("remember my sister's name is Ada", "remember_that", "my sister's name is Ada"),
    ("Can you remember that we live in Leeds?", "remember_that", "we live in Leeds"),
    ("remember that the wifi password is hunter2 please", "remember_that", "the wifi password is hunter2"),
    ("keep in mind that I don't eat meat", "remember_that", "I don't eat meat"),
    ("Save to memory: I play the cello", "remember_that", "I play the cello"),
    ("remember that I love 🍕", "remember_that", "I love 🍕"),
    ("I'm allergic to nuts. Please remember that.", "remember_that", "I'm allergic to nuts"),
    ("I'm allergic to nuts, remember that", "remember_that", "I'm allergic to nuts"),
    ("Remember this:\nmy locker is number 12", "remember_that", "my locker is number 12"),
    ("remember this", "remember_that", None),
    ("always remember this", "remember_that", None),
    ("Remember this. I'm allergic to bees.", "remember_that", "I'm allergic to bees"),
    ("What should I cook? Remember this.", "remember_that", None),
    ("Don't forget that!", "remember_that", None),
    ("memorise that my blood type is 0", "remember_that", "my blood type is 0"),
    ('Remember that my hint is "blue horse"', "remember_that", 'my hint is "blue horse"'),
    # pins
    ("pin this", "pin_that", None),
    ("Pin that, please", "pin_that", None),
    ("can you pin it?", "pin_that", None),
    ("pin this memory", "pin_that", None),
    ("Pin what I said about my allergy", "pin_that", "my allergy"),
    ("pin this: my gate code is 4417", "pin_that", "my gate code is 4417"),
    ("Please pin this: I'm allergic to nuts!", "pin_that", "I'm allergic to nuts"),
    ("Pin this fact: my sister's name is Ada", "pin_that", "my sister's name is Ada"),
    ("pin this to your memory: Bob's birthday is on 3 May", "pin_that", "Bob's birthday is on 3 May"),
    ("pin that I'm allergic to nuts", "pin_that", "I'm allergic to nuts"),
    ("Could you pin the fact that I don't eat meat?", "pin_that", "I don't eat meat"),
    ("Remember and pin this: we live in Leeds", "pin_that", "we live in Leeds"),
    ("Pin this:\nmy locker is number 12", "pin_that", "my locker is number 12"),
    ("unpin that", "unpin_that", None),
    ("please unpin this memory", "unpin_that", None),
    # memory on and off
    ("turn memory off", "memory_off", None),
    ("Turn off your memory please", "memory_off", None),
    ("switch the memory off", "memory_off", None),
    ("disable memory", "memory_off", None),
    ("Please stop remembering things about me", "memory_off", None),
    ("don't remember anything I say", "memory_off", None),
    ("turn memroy off", "memory_off", None),
    ("could you turn off the memory feature?", "memory_off", None),
    ("I'd like to turn memory off", "memory_off", None),
    ("turn memory off, I want some privacy", "memory_off", None),
    ("turn memory on", "memory_on", None),
    ("Turn your memory back on", "memory_on", None),
    ("enable memory again please", "memory_on", None),
    ("you can remember things again", "memory_on", None),
    # incognito
    ("start incognito for this chat", "start_incognito", None),
    ("Go incognito", "start_incognito", None),
    ("turn on incognito mode", "start_incognito", None),
    ("please switch to incognito", "start_incognito", None),
    ("don't save this conversation", "start_incognito", None),
    ("turn memory off for this chat", "start_incognito", None),
    ("incognito mode on", "start_incognito", None),
    ("stop incognito", "end_incognito", None),
    ("end incognito mode", "end_incognito", None),
    ("turn off incognito for this chat", "end_incognito", None),
    ("Leave incognito now, please", "end_incognito", None),
    # answers
    ("yes, forget it", "confirm", None),
    ("Yes please delete it", "confirm", None),
    ("no, keep it", "decline", None),
    ("No, don't forget it!", "decline", None),
    # other people
    ("yo can u forget wat i told u abt my bf", "forget_about", "my bf"),
    ("hey can you wipe what i said about work stuff yesterday", "forget_about", "work stuff yesterday"),
    ("Kindly remove all information you have stored about my late husband.", "forget_about", "my late husband"),
    ("I'd rather you didn't remember that.", "forget_that", None),
    ("pls forget tht last thing", "forget_that", None),
    ("ugh i shouldn't have told you that. delete it from ur memory pls", "forget_that", None),
    ("Actually scrap that, forget my last message", "forget_that", None),
    ("It would be great if you could forget everything about my ex girlfriend :)", "forget_about", "my ex girlfriend"),
    ("My dear, would you be so kind as to forget what I told you about my grandson?", "forget_about", "my grandson"),
    ("so what exactly do you remember about my dog lol", "ask_about", "my dog"),
    ("List everything you know about me", "ask_about", None),
    ("Do you know anything about my family?", "ask_about", "my family"),
    ("Can you tell me what I said about the Berlin trip?", "ask_about", "the Berlin trip"),
    ("please make a note: dentist on tuesday at 4", "remember_that", "dentist on tuesday at 4"),
    ("REMEMBER THAT MY SON IS CALLED LEO", "remember_that", "MY SON IS CALLED LEO"),
    ("hey remember i'm off dairy now", "remember_that", "i'm off dairy now"),
    ("don't forget I take my coffee black", "remember_that", "I take my coffee black"),
    ("Btw my new number is 555 0199, please save that", "remember_that", "my new number is 555 0199"),
    ("i want memory off", "memory_off", None),
    ("Could you stop keeping track of what I say?", "memory_off", None),
    ("Right, memory back on please.", "memory_on", None),
    ("Let's go incognito for a bit", "start_incognito", None),
    ("Do not store anything from this conversation.", "start_incognito", None),
    ("pin that one pls!!", "pin_that", None),
    ("I don't need that pinned anymore, unpin it", "unpin_that", None),
    ("Forget everything I mentioned about Sandra, would you?", "forget_about", "Sandra"),
    ("hi there! could you please get rid of what you know about my finances?", "forget_about", "my finances"),
    ("I got the job!! oh and forget what I said about the other interview", "forget_about", "the other interview"),
    ("i dont want you remembering that", "forget_that", None),
    ("plz forget that i said i was drunk", "forget_about", "i said i was drunk"),
    ("Please purge all data on me.", "forget_me", None),
    ("Forget I ever mentioned Jake", "forget_about", "Jake"),
    ("forget the thing about the loan", "forget_about", "the loan"),
    ("strike what I said earlier from your memory", "forget_that", None),
    ("I want you to delete everything you know about me", "forget_me", None),
    ("clear my memories", "forget_me", None),
    ("what all do you remember abt me?", "ask_about", None),
    ("Do you still know what I told you about my thesis?", "ask_about", "my thesis"),
    ("what did i say about the party again?", "ask_about", "the party"),
    ("Okay bot, what do you know about my wife's birthday", "ask_about", "my wife's birthday"),
    ("remind me what you know about my diet", "ask_about", "my diet"),
    ("My daughter started school today. Please keep that in mind.", "remember_that", "My daughter started school today"),
    ("Remember, my flight is on Tuesday, not Monday.", "remember_that", "my flight is on Tuesday, not Monday"),
    ("Add this to your memory: I can't stand jazz", "remember_that", "I can't stand jazz"),
    ("you need to remember that I'm diabetic", "remember_that", "I'm diabetic"),
    ("Pls note: I've moved to Lyon", "remember_that", "I've moved to Lyon"),
    ("Could you pin that for me?", "pin_that", None),
    ("Pin that memory about my allergies", "pin_that", "my allergies"),
    ("take the pin off", "unpin_that", None),
    ("Memory off, please!", "memory_off", None),
    ("Please quit remembering stuff about me", "memory_off", None),
    ("Can you start remembering again?", "memory_on", None),
    ("I'd like this chat to be incognito", "start_incognito", None),
    # how people call, ask and close
    ("Hey Luna, forget that", "forget_that", None),
    ("hey luna forget what I said about Bob", "forget_about", "Bob"),
    ("Hi Luna could you forget what I said about Bob?", "forget_about", "Bob"),
    ("@luna forget what I said about Bob", "forget_about", "Bob"),
    ("Luna please forget what I said about Bob", "forget_about", "Bob"),
    ("Good evening! Would you mind forgetting that?", "forget_that", None),
    ("Would you mind forgetting what I told you about my boss?", "forget_about", "my boss"),
    ("Is it ok if you forget what I said about Bob?", "forget_about", "Bob"),
    ("I'd like to ask you to forget what I said about Bob.", "forget_about", "Bob"),
    ("If you could, forget what I said about Bob.", "forget_about", "Bob"),
    ("please don't remember what I just said", "forget_that", None),
    ("Erase everything about the lawsuit from your memory", "forget_about", "the lawsuit"),
    ("Did I tell you my PIN? Please forget that.", "forget_that", None),
    ("I'm curious: what do you remember about my garden?", "ask_about", "my garden"),
    ("any idea what I told you about my garden?", "ask_about", "my garden"),
    ("what have you got stored about me", "ask_about", None),
    ("what info do you have on me?", "ask_about", None),
    ("Let's pin this.", "pin_that", None),
    ("fyi remember I have a peanut allergy", "remember_that", "I have a peanut allergy"),
    ("Never forget that my daughter is called Ida", "remember_that", "my daughter is called Ida"),
    ("Could you turn off the memory for now?", "memory_off", None),
    ("turn memory of", "memory_off", None),
    ("you can turn your memory on again", "memory_on", None),
    ("Please forget what I said about Anna, she told me it is settled", "forget_about", "Anna"),
    ("What do you remember from the French Revolution lecture?", "ask_about", "the French Revolution lecture"),
]
DOUBTFUL = [
    ("What I said about Kim: don't save that", "forget_about", "Kim"),
    ("u can forget about rufus", "forget_about", "rufus"),
    ("please forget the name of my dog", "forget_about", "the name of my dog"),
    ("scratch that", "forget_that", None),
    ("I take that back", "forget_that", None),
    ("never mind what I said about Carl", "forget_about", "Carl"),
    ("please delete any mention of Kim", "forget_about", "Kim"),
    ("forget where I live", "forget_about", "where I live"),
    ("plz frget kim", "forget_about", "kim"),
    ("Forget the bill", "forget_about", "the bill"),
    ("I broke up with Bob. Please forget what I said about him.", "forget_about", "him"),
    ("forget it", "forget_that", None),
    ("forget that?", "forget_that", None),
    ("Remember that hope is a good thing", "remember_that", "hope is a good thing"),
    ("Turn memory off when I'm at work", "memory_off", None),
    ("Forget what I said about Bob. No wait, don't!", "forget_about", "Bob"),
    ("delete that", "forget_that", None),
    ("forget me", "forget_me", None),
    ("forget everything", "forget_me", None),
    ("wipe your memory", "forget_me", None),
    ("forget Bob", "forget_about", "Bob"),
    ("forget about the wedding", "forget_about", "the wedding"),
    ("You can forget that", "forget_that", None),
    ("let's forget that", "forget_that", None),
    ("Forget that, let's talk about dogs", "forget_that", None),
    ("Luna, forget that", "forget_that", None),
    ("- forget that", "forget_that", None),
    ("Forget that. Just kidding!", "forget_that", None),
    ("what do you know about the French Revolution?", "ask_about", "the French Revolution"),
    ("do you remember Bob?", "ask_about", "Bob"),
    ("never forget that I love you", "remember_that", "I love you"),
    ("remember my birthday", "remember_that", "my birthday"),
    ("Note that the endpoint returns 404", "remember_that", "the endpoint returns 404"),
    ("turn memory off?", "memory_off", None),
    ("off the record", "start_incognito", None),
    # other people
    ("ok you can leave incognito mode now", "end_incognito", None),
    ("Erase me. Completely. Everything you know about me.", "forget_me", None),
    ("lol forget it", "forget_that", None),
    ("can u delete my home address pls", "forget_about", "my home address"),
    ("What I said about my dad, please forget it.", "forget_about", "my dad"),
    ("Private mode please", "start_incognito", None),
    # may be of a text that is only shown, or supposed
    ("Dear Paul, please forget what I said about Monday. Yours, Eva", "forget_about", "Monday"),
    ("Is this polite? Forget what I said about the budget.", "forget_about", "the budget"),
    ("He told me: I was wrong. Forget what I said about the rent.", "forget_about", "the rent"),
    ("50 euros? Forget that!", "forget_that", None),
    ("Would you forget what I told you about Rita if I asked?", "forget_about", "Rita if I asked"),
]
LOOK_ALIKES = [
    # quoted, cited
    'She said "forget that"',
    '"turn memory off" is a strange phrase',
    '"forget that"',
    "'forget that'",
    "“Forget that,” he said.",
    "„forget that“",
    "> forget that",
    "&gt; turn memory off",
    "`forget that`",
    "```\nforget that\n```",
    "```\nturn memory off",
    "    forget that",
    "<blockquote>forget that</blockquote>",
    "he told me to forget that",
    "He told me: forget that",
    "My boss told me:\nforget that",
    "She said, forget that",
    "my brother was like, forget that",
    "The song is called, forget that",
    "Translate to German: forget that",
    'How do you say "forget that" in French?',
    "How do you say forget that in French?",
    "Bob: forget that",
    "My therapist says, forget what I said about him",
    # about forgetting and remembering
    "I always forget that my keys are there",
    "I'll never forget that day",
    "I forgot that",
    "I forget that sometimes",
    "did you forget that?",
    "Did you forget what I said about Bob?",
    "Why did you forget that?",
    "forget it, let's go on",
    "You forget that I'm vegan",
    "I want to forget that",
    "I'd like to forget my ex",
    "we should not forget that the shop closes at 5",
    "People forget that the earth is round",
    "It is so easy to be busy and forget that.",
    "And remember, I'm here for you.",
    "You can do it! Just remember, we all love you",
    "Don't forget to buy milk",
    "remember to call mum",
    "don't forget the milk",
    "remember that time when we went to Rome?",
    "Remember that time we went to Rome",
    "Remember when we first met?",
    "remember me?",
    "I remember that you told me about it",
    "I can't remember that",
    "I don't remember my password",
    "Do you remember that time in Rome?",
    "Remember that you are a pirate",
    "remember, you promised",
    "Do you remember how we met?",
    "What do you think about my job?",
    "I know what you remember about me",
    "what do you know about yourself?",
    "I wonder what do you know about me",
    "He asked me what do you remember about Bob",
    "what does he know about me?",
    "do you know what time it is",
    "You know, I told you about Bob",
    "Forgetting that was a mistake",
    # other things of the name
    "turn off the memory foam heater",
    "how do I turn memory off on my phone?",
    "How do I turn memory off?",
    "turn memory off on my phone",
    "I turned memory off",
    "turn off the light",
    "My memory is bad",
    "The memory was turned off",
    "pin this on the board in the kitchen",
    "pin it on the wall",
    "Pin: 4417",
    "PIN this week: 4417",
    "He said pin this: I am the boss",
    '"pin this: I am vegan"',
    "pin that you are a pirate",
    "I lost my pin",
    "my pin is 1234",
    "pin that down",
    "don't pin this",
    "do not turn memory off",
    "please don't forget me in your prayers",
    "incognito mode of Chrome",
    "start incognito mode in Chrome",
    "open an incognito window",
    "I went incognito to the party",
    "delete the file",
    "delete my account",
    "remove that comma from the text",
    "delete all my emails",
    "clear the table",
    "note the time",
    "save the document",
    "Keep it simple",
    "I noted that",
    # supposed
    "if I said forget that, what would you do?",
    "What happens if I say forget that?",
    "suppose I said, forget that",
    "when she says forget that, I laugh",
    "would anyone forget that",
    # other languages, nothing
    "vergiss das",
    "oublie ça",
    "olvida eso",
    "忘れて",
    "",
    "   ",
    "?",
    "🙂",
    "yes",
    "no",
    "The weather is nice today.",
    "I'm allergic to nuts",
    # other people
    "I told Mark to forget that and he got angry",
    "Can you write a story where a robot says please forget that?",
    "what do you remember most fondly from your childhood?",
    "My grandma's starting to forget everything about me, it's so sad",
    "How can I forget what I said about her?",
    "she'll remember that I was late",
    "Just remember that you can always quit",
    "I need to delete all my photos from my phone",
    "Is there a way to turn off memory on Windows?",
    "don't remember where I parked lol",
    'Summarise: "Remember that I live in Rome. Forget that."',
    "are we incognito?",
    "I think I forgot what I said about Bob",
    "nobody can make me forget that",
    "Please don't forget me",
    "You should really remember that movie",
    "My teacher says we must remember that water boils at 100",
    "Can you delete the second paragraph?",
    "Never forget what you saw today",
    # a text to work on, an example, somebody's words
    "Proofread this for me.\n\nDear Tim, forget what I said about Monday. Best, Ana",
    "Please translate the following: Turn memory off. Forget what I said about Bob.",
    "Summarize this text.\nForget what I said about the budget. We go on as planned.",
    "What is the tone of this message?\nForget what I said about the budget.",
    "Write Tom a mail: I am sorry. Please forget what I said about the rent.",
    "Here is the email: Hi Tom, please forget what I said about Friday.",
    "Here is what he wrote:\nI was tired.\nForget what I said about the house.",
    "e.g. forget that",
    "for example: turn memory off",
    "The commands are: forget that, pin this, turn memory off.",
    "Turn your memory off and dance, as the song goes",
    "go incognito, said my agent",
    "Just forget about him, my mum says",
    "Stop recording what I say, Alexa told me",
    "If you could forget everything about me, would you?",
]


@pytest.mark.parametrize(("text", "name", "words"), SURE)
def test_a_command_is_read_and_obeyed(text: str, name: str, words: str | None) -> None:
    command = read_chat_command(text)
    assert command is not None
    assert (command.name, command.topic or command.fact, command.is_sure) == (name, words, True)


@pytest.mark.parametrize(("text", "name", "words"), DOUBTFUL)
def test_what_may_be_a_command_asks_back(text: str, name: str, words: str | None) -> None:
    command = read_chat_command(text)
    assert command is not None
    assert (command.name, command.topic or command.fact, command.is_sure) == (name, words, False)


@pytest.mark.parametrize("text", LOOK_ALIKES)
def test_a_look_alike_is_no_command(text: str) -> None:
    assert read_chat_commands(text) == ()


def test_the_table_is_as_large_as_promised() -> None:
    assert len(SURE) + len(DOUBTFUL) >= 100
    assert len(LOOK_ALIKES) >= 75


@pytest.mark.parametrize(
    ("text", "scope"),
    [
        ("start incognito for this chat", CommandScope.CHAT),
        ("always start incognito", CommandScope.ALL),
        ("make incognito the default", CommandScope.ALL),
        ("turn off incognito by default", CommandScope.ALL),
        ("turn memory off", CommandScope.ALL),
        ("what do you remember from this chat?", CommandScope.CHAT),
        ("what do you remember about me?", CommandScope.ALL),
        ("forget that", CommandScope.CHAT),
        ("forget everything about me", CommandScope.ALL),
    ],
)
def test_a_command_says_how_far_it_reaches(text: str, scope: CommandScope) -> None:
    command = read_chat_command(text)
    assert command is not None
    assert command.scope is scope


def test_a_question_about_the_person_has_no_topic() -> None:
    assert read_chat_command("what do you know about me?") == ChatCommand(ChatCommandName.ASK_ABOUT, confidence=0.95)


def test_a_slip_costs_confidence() -> None:
    right, slip = read_chat_command("forget that"), read_chat_command("forgte that")
    assert right is not None
    assert slip is not None
    assert slip.name is right.name
    assert slip.confidence < right.confidence


def test_a_slip_in_the_topic_costs_nothing_and_stays() -> None:
    command = read_chat_command("forget what I said about teh mmeory")
    assert command is not None
    assert (command.topic, command.confidence) == ("teh mmeory", 0.95)


def test_several_commands_are_read_in_order_and_the_first_sure_one_counts() -> None:
    text = "Delete that. Turn memory off. And forget what I said about Bob and pin this!"
    read = read_chat_commands(text)
    assert [(one.name.value, one.topic, one.is_sure) for one in read] == [
        ("forget_that", None, False),
        ("memory_off", None, True),
        ("forget_about", "Bob", True),
        ("pin_that", None, True),
    ]
    assert read_chat_command(text) == read[1]


def test_a_fact_keeps_what_only_looks_like_another_command() -> None:
    command = read_chat_command("remember that my boss said work hard and forget that")
    assert command is not None
    assert command.fact == "my boss said work hard and forget that"


def test_blanks_of_a_fact_are_made_one() -> None:
    command = read_chat_command("  remember   that\tI  like   tea  ")
    assert command is not None
    assert command.fact == "I like tea"


def test_a_command_in_the_midst_of_much_text_is_doubtful() -> None:
    around = "It rained. We went home. " * 3
    command = read_chat_command(f"{around}Forget that. {around}")
    assert command is not None
    assert not command.is_sure


def test_a_command_at_the_end_of_much_text_is_sure() -> None:
    command = read_chat_command("It rained and rained. " * 500 + "Please turn memory off.")
    assert command is not None
    assert (command.name, command.is_sure) == (ChatCommandName.MEMORY_OFF, True)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("yes", "confirm"),
        ("Yes please!", "confirm"),
        ("yep, do it", "confirm"),
        ("ok", "confirm"),
        ("go ahead", "confirm"),
        ("Sure 👍", "confirm"),
        ("yes, forget it", "confirm"),
        ("ok, forget that", "confirm"),
        ("no, don't forget that", "decline"),
        ("no", "decline"),
        ("No, thanks.", "decline"),
        ("nope, keep it", "decline"),
        ("don't", "decline"),
        ("never mind", "decline"),
        ("cancel", "decline"),
        ("no, don't delete it", "decline"),
    ],
)
def test_an_answer_to_a_question_asked_back_is_read(text: str, name: str) -> None:
    answer = read_answer(text)
    assert answer is not None
    assert answer.name == name


@pytest.mark.parametrize(
    "text",
    ["", "forget it", "maybe", "what?", "yes?", "no idea", "yes, I went to Rome", "Is that so", '"yes"', "> yes", "right turn"],
)
def test_whatever_else_is_no_answer(text: str) -> None:
    answer = read_answer(text)
    assert answer is None or not answer.is_sure
