"""What a message is after: small talk, something of the world, or what its person told; in three languages."""

from __future__ import annotations

import pytest

from shared.language.questions.aims import AskingAim, aim_of

SMALL_TALK = {
    "en": (
        """hi there
        hey how's it going?
        good morning!
        morning :)
        thanks so much
        ok cool
        lol
        haha that's funny
        bye, see you tomorrow
        gotta go, ttyl
        good night
        what's up?
        how was your day?
        nice to meet you
        yes please
        no thanks
        sounds good!
        got it, thanks for the help
        you're awesome
        I'm fine thanks, and you?
        that makes sense
        hmm ok
        never mind
        cheers mate
        happy new year!
        wow amazing
        are you a bot?
        sorry for the late reply
        okay I'll try that
        great idea
        thx, that helped a lot
        talk later
        omg no way
        I'm back
        brb
        have a lovely evening
        hello again
        thank you for everything
        all good here
        can you repeat that?
        I agree with you
        not really
        maybe later
        Whatever you say
        yo
        Ok, that's all for today
        Interesting, tell me more
        alright then
        I love talking to you
        sweet dreams
        heyyy
        Good evening, hope you're well
        how've you been?
        I'm doing great, thank you
        cool cool cool
        perfect, exactly what I needed
        ok I'll get back to you tomorrow
        Haha you're funny
        Thank you, that's really useful
        k thx bye
        Have a good one!
        anyone there?
        What's going on today?
        ugh
        sure, why not
        I don't get it
        wait what
        you there?
        that's all I wanted, thanks
        Merry Christmas!
        so tired today lol
        nothing much, you?
        just saying hi
        I see, thanks for explaining
        sounds like a plan
        good talk
        wonderful, see you next week
        please continue
        just kidding
        Who are you?
        right back at you
        lmao true
        I appreciate it
        welcome back
        Hello my friend"""
    ),
    "de": (
        """Hallo!
        Guten Morgen
        wie geht's dir heute?
        Danke dir vielmals
        ok, alles klar
        Bis morgen!
        Tschüss und schönen Abend noch
        haha sehr gut
        ja genau
        nein danke
        das klingt super
        gute Nacht, schlaf gut
        na, was geht?
        Vielen Dank für deine Hilfe
        verstehe
        bist du ein Mensch?
        ich bin wieder da
        Frohes neues Jahr!
        Schönes Wochenende dir
        passt, danke
        moin moin
        das freut mich
        ach so, okay
        sorry, mein Fehler
        mach's gut
        Hey du
        Guten Abend zusammen
        mir gehts gut, danke
        bis dann
        Wie war dein Wochenende?
        gerne, kein Problem
        Alles klar, danke für die schnelle Antwort
        lol
        Gute Besserung
        hab dich lieb
        klingt nach einem Plan
        na gut
        Wer bist du eigentlich?
        ich geh jetzt schlafen
        schönen Feierabend
        das war's, danke
        stimmt, hast recht
        wow, echt toll
        hahaha nein
        Prost"""
    ),
    "zh": (
        """你好
        您好！在吗？
        谢谢你
        非常感谢你的帮助
        好的，明白了
        哈哈哈
        再见
        晚安，明天见
        早上好！
        最近怎么样？
        嗯嗯
        没问题
        太棒了！
        你真聪明
        我先去睡了
        周末愉快
        新年快乐
        对不起，打扰了
        你是机器人吗？
        好吧，那就这样
        原来如此
        不用了，谢谢
        真的吗？
        辛苦了
        吃了吗？
        我回来了
        今天过得好吗？
        知道了，谢谢啦
        拜拜，下次聊
        有意思
        哈喽，在吗
        你好呀，很高兴见到你
        谢谢，你帮了我大忙
        好的，谢谢你的建议
        哈哈，你真幽默
        那我先下线了，拜
        祝你有美好的一天
        没什么，随便聊聊
        你今天心情怎么样？
        行，就这么定了
        我明白你的意思了
        太感谢了！
        晚上好，今天忙吗？
        嗯，有道理
        下次再说吧
        OK，没问题
        你好厉害啊
        我也觉得
        好久没聊了
        那好，回头见"""
    ),
}
OF_THE_WORLD = {
    "en": (
        """What's the capital of Mongolia?
        Translate 'good evening' into Italian
        Write a haiku about autumn leaves
        what is 17 * 23
        How do I boil an egg?
        Explain quantum entanglement simply
        Who won the World Cup in 2018?
        Convert 12 miles to kilometres
        How far is the moon?
        Summarize the plot of Hamlet
        Give me a synonym for happy
        What does 'serendipity' mean?
        Write a python function that reverses a string
        When was the Berlin Wall built?
        how many ounces in a cup
        Is it true that bats are blind?
        list five countries in Africa
        How does a diesel engine work?
        Why is the sky blue?
        Can you help me with a regex for emails?
        Which planet is largest
        Spell necessary
        who wrote Don Quixote
        What time is it in Tokyo?
        proofread this: he go to school
        Tell me about the French revolution
        How do you say thank you in Korean?
        What are the side effects of ibuprofen?
        Draft a generic out-of-office message
        who discovered penicillin
        what's the weather like in Paris in spring
        make a list of prime numbers under 50
        write me a limerick about cats
        what does HTTP 404 mean
        is a tomato a fruit?
        How tall is Mount Everest?
        how do you make pancakes
        recommend a good sci-fi novel
        What year did Titanic sink?
        define entropy
        sort these numbers: 5, 2, 9
        name a famous painter
        how long does it take to fly from London to New York
        what is the population of India
        Do penguins have knees?
        compose a tweet about recycling
        Where is Machu Picchu?"""
    ),
    "de": (
        """Was ist die Hauptstadt von Peru?
        Übersetze 'Guten Abend' ins Französische
        Schreib ein Gedicht über den Herbst
        Wie koche ich Reis?
        Was ist 15 mal 23?
        Erklär mir die Photosynthese
        Wer hat die Glühbirne erfunden?
        Wie weit ist der Mond entfernt?
        Kannst du mir einen Witz erzählen?
        Nenne fünf Flüsse in Europa
        Was bedeutet 'Schadenfreude'?
        Wann fiel die Berliner Mauer?
        Gib mir ein Synonym für schnell
        Wie funktioniert ein Kühlschrank?
        Warum ist der Himmel blau?
        Wie alt ist die Erde?
        Schreibe einen Limerick über Katzen
        Wie macht man Pfannkuchen?
        Was heißt 'Danke' auf Japanisch?
        Ist eine Tomate eine Frucht?
        Rechne 18% von 250 aus
        Welche Tiere leben in der Antarktis?
        Was ist der Unterschied zwischen 'seit' und 'seid'?"""
    ),
    "zh": (
        """法国的首都是哪里？
        把'早上好'翻译成英语
        写一首关于秋天的诗
        怎么煮鸡蛋？
        23乘以17等于多少？
        请解释一下量子纠缠
        谁写了《红楼梦》？
        月亮离地球多远？
        给我讲个笑话
        天空为什么是蓝色的？
        推荐几本科幻小说
        世界上最高的山是什么？
        用Python写一个冒泡排序
        '坚持'的反义词是什么
        一公里等于多少英里
        巴西的首都在哪
        光速是多少
        帮我写一封道歉信的模板
        番茄是水果吗？
        如何去除红酒渍
        莎士比亚是谁
        列出五种编程语言
        一年有多少秒
        什么是黑洞"""
    ),
}
OF_THE_PERSON = {
    "en": (
        """What's my dog's name?
        Which tomatoes do I want to plant next year?
        What should I cook tonight?
        Where do I work?
        Suggest a birthday gift for my sister
        Can you recommend a restaurant for us?
        What did we talk about last time?
        Write a polite letter to my landlord about the heating
        Do I have any allergies?
        When is my flight?
        My knee hurts again
        I just got back from Rome
        I'm thinking about changing jobs
        Plan my weekend
        Where did I park?
        remind me what Anna said
        I'm hungry
        We are getting married in June!
        what was the name of that place I liked
        am i still on the keto diet
        who's my boss again
        My daughter starts school on Monday
        Should I take the job?
        what wine goes with my favourite dish
        book a table for us
        give me a workout for today
        I'm so stressed about the exam
        anything new with Marcus?
        What's the name of my dentist?
        write a bio for me
        What size shoes do I wear
        is it my turn to cook?
        how old am I
        how is my mother doing
        tell me about my week"""
    ),
    "de": (
        """Wie heißt mein Hund?
        Was soll ich heute kochen?
        Wo arbeite ich?
        Schlag ein Geschenk für meine Schwester vor
        Habe ich Allergien?
        Mein Knie tut wieder weh
        Ich war gestern in Rom
        Plane mein Wochenende
        Wann geht mein Flug?
        Was weißt du über mich?
        Meine Tochter kommt in die Schule
        Soll ich den Job annehmen?
        Wie alt bin ich?
        Was schenke ich Tom?
        Schreib eine Bewerbung für mich
        Wann ist mein Zahnarzttermin?"""
    ),
    "zh": (
        """我的狗叫什么名字？
        我今晚吃什么好？
        我在哪里工作？
        给我妹妹推荐一个生日礼物
        我对什么过敏？
        我们上次聊了什么？
        我昨天去了北京
        我膝盖又疼了
        帮我计划周末的行程
        我女儿下周上学
        我该不该接受这份工作
        我多大了
        我牙医叫什么
        我老板是谁
        帮我写一份自我介绍"""
    ),
}


def _cases(sentences: dict[str, str]) -> list[str]:
    return [line.strip() for lines in sentences.values() for line in lines.splitlines()]


@pytest.mark.parametrize("text", _cases(SMALL_TALK))
def test_small_talk_looks_for_nothing(text: str) -> None:
    assert aim_of(text) is AskingAim.CHAT


@pytest.mark.parametrize("text", _cases(OF_THE_WORLD))
def test_what_anybody_could_ask_is_of_the_world(text: str) -> None:
    assert aim_of(text) in {AskingAim.WORLD, AskingAim.TASK}


@pytest.mark.parametrize("text", _cases(OF_THE_PERSON))
def test_what_concerns_its_person_is_looked_for(text: str) -> None:
    assert aim_of(text) is AskingAim.PERSON


ORDERS = [
    "Translate 'good evening' into Italian",
    "write me a limerick about cats",
    "Rechne 18% von 250 aus",
    "写一首关于秋天的诗",
]
WISHES = [
    "How do I like your answers to be?",
    "How should you answer me?",
    "What should you call me?",
    "What are your replies supposed to look like?",
    "Wie soll ich antworten, lang oder kurz?",
    "Wie sollen deine Antworten sein?",
    "你应该怎么回答我？",
    "我希望你的回答是什么样的？",
]


@pytest.mark.parametrize("text", ORDERS)
def test_an_order_that_anybody_could_give_is_a_task(text: str) -> None:
    assert aim_of(text) is AskingAim.TASK


@pytest.mark.parametrize("text", WISHES)
def test_how_the_bot_should_answer_concerns_its_person(text: str) -> None:
    assert aim_of(text) is AskingAim.PERSON


@pytest.mark.parametrize("text", ["what did the doctor give me for sleeping", "What has she told us?"])
def test_what_somebody_gave_the_person_is_no_order(text: str) -> None:
    assert aim_of(text) is AskingAim.PERSON


@pytest.mark.parametrize("text", ["How do you call a baby cat?", "How do you write a sonnet?"])
def test_a_question_with_an_answer_in_it_is_no_wish(text: str) -> None:
    assert aim_of(text) is not AskingAim.PERSON


@pytest.mark.parametrize("text", ["", "?!", "🙈", "Thanks! " * 200, "how " * 5_000])
def test_any_text_has_an_aim(text: str) -> None:
    assert aim_of(text) in AskingAim


@pytest.mark.parametrize(
    "text",
    [
        "ugh, thursday already",
        "phew it's finally friday",
        "argh, mornings",
        "haha you crack me up",
        "puh, mittwoch",
        "ach, schon wieder dienstag",
        "Vielen lieben Dank dir!",
        "Schlaf süß",
        "唉，又是周三",
        "晚安，早点睡呀",
        "好，就照你说的办",
    ],
)
def test_sighs_thanks_and_assent_are_small_talk(text: str) -> None:
    assert aim_of(text) is AskingAim.CHAT


@pytest.mark.parametrize("text", ["plans for monday?", "am I free on friday", "was mache ich am montag", "我周三有什么安排"])
def test_a_question_about_a_day_is_no_sigh(text: str) -> None:
    assert aim_of(text) is AskingAim.PERSON


@pytest.mark.parametrize("text", ["Pelle frisst nichts", "Hoppla, Glatteis", "The harbour is frozen", "下雪啦"])
def test_what_asks_nothing_and_names_no_person_is_a_remark(text: str) -> None:
    assert aim_of(text) is AskingAim.REMARK


@pytest.mark.parametrize(
    "text",
    ["what's the salary of the new job", "who is the landlord", "when is the party", "how much was the car", "where's the vet"],
)
def test_what_anybody_would_call_the_thing_concerns_its_person(text: str) -> None:
    assert aim_of(text) is AskingAim.PERSON


@pytest.mark.parametrize(
    "text",
    [
        "how many yards are in a kilometre",
        "how many grams is 3 ounces",
        "how do you say butterfly in Welsh",
        "Wie viele Zentimeter sind 7 Zoll?",
        "Was heißt Löffel auf Spanisch?",
        "Was ist der Unterschied zwischen scheinbar und anscheinend?",
        "“惭愧”用法语怎么说",
        "“他”和“她”有什么区别？",
        "7英里是多少公里？",
    ],
)
def test_what_a_dictionary_or_a_calculator_tells_is_a_task(text: str) -> None:
    assert aim_of(text) is AskingAim.TASK


@pytest.mark.parametrize("text", ["how does the car engine work", "why do dogs bark", "what's the capital of Laos"])
def test_how_things_are_anywhere_is_of_the_world(text: str) -> None:
    assert aim_of(text) is AskingAim.WORLD
