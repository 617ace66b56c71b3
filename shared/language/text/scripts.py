"""The characters of scripts without spaces between words: the only table of them.

Each constant is a range for a regular expression's character class. Marks such as `。` and `・` belong to no script.
Source: the Unicode Standard 17, Scripts.txt; whole blocks, with the ideographic planes up to extension J.
"""

import re

HAN = "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3038-\u303b\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
HIRAGANA = "\u3041-\u309f\U0001b001-\U0001b11f\U0001b132\U0001b150-\U0001b152"
KATAKANA = "\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f\U0001aff0-\U0001b000\U0001b120-\U0001b122\U0001b155-\U0001b167"
HANGUL = "\u1100-\u11ff\u3131-\u318e\ua960-\ua97f\uac00-\ud7ff\uffa0-\uffdc"
THAI = "\u0e00-\u0e7f"
LAO = "\u0e80-\u0eff"
BURMESE = "\u1000-\u109f\ua9e0-\ua9ff\uaa60-\uaa7f"
KHMER = "\u1780-\u17ff\u19e0-\u19ff"

UNSPACED = HAN + HIRAGANA + KATAKANA + THAI + LAO + BURMESE + KHMER
"""Scripts without spaces: a character, or a pair of characters, counts as a word."""

SEARCHED_BY_CHARACTER = UNSPACED + HANGUL
"""Scripts that the full-text index splits into characters: also Korean, which joins particles to words."""

_LATIN = re.compile(r"[a-z\u00aa\u00ba\u00c0-\u024f\u1e00-\u1eff]", re.IGNORECASE)
_LETTER = re.compile(r"[^\W\d_]")


def is_mostly_latin(text: str) -> bool:
    """True if at least half of the letters are of the Latin script, or there is none.

    >>> is_mostly_latin("Où est Zoë?"), is_mostly_latin("我喜欢 tea"), is_mostly_latin("Где Anna?"), is_mostly_latin("12:30")
    (True, True, True, True)
    >>> is_mostly_latin("我最喜欢什么茶?"), is_mostly_latin("где живёт Anna?")
    (False, False)
    """
    return 2 * len(_LATIN.findall(text)) >= len(_LETTER.findall(text))
