"""Wikitext as its readers see it: each rule of the markup, and markup gone wrong."""

import pytest

from lexvec.corpus import wikitext
from lexvec.corpus.wikitext import is_redirect, plain_text

RULES = {
    # templates
    "a {{t|x=1}} b": "a b",
    "a {{t|{{u|{{v}}}}|[[File:x.png|thumb|y]]}} b": "a b",
    "a {{{1|default}}} b {{x|{{{1}}}}} c": "a b c",
    "{{Infobox\n| name = x\n| list =\n* item\n}}\nText": "Text",
    "a {{t|x}}}}} b": "a b",
    "{{unclosed\n| name = x\nText {{t}} here": "unclosed\nText here",
    "stray }} here": "stray here",
    # tables
    'before\n{| class="x"\n! head\n|-\n| cell || cell\n|}\nafter': "before\nafter",
    "{|\n| outer\n{|\n| inner\n|}\n| outer\n|}\nafter": "after",
    ":{|\n| a {{t\n|}\nafter": "after",
    "{{t|\n{|\n| a\n|}}}\nafter": "after",
    "{{t|a=\n|}}\nafter": "after",
    "{|\n! a !! b\n|-\n| unclosed\n\n== After ==\ntext": "After\ntext",
    "a<table><tr><td>b<table></table></td></tr></table>c": "ac",
    "a<table><tr><td>unclosed": "a\nunclosed",
    # notes, comments, and tags with content of their own
    "a<ref>{{cite|b}} [[c]]</ref>.": "a.",
    'a<ref name="b" />c<REF name=d>e</Ref>f': "acf",
    "a<ref>unclosed [[b]]": "aunclosed b",
    "a<references><ref>b</ref></references>c": "ac",
    "a<!-- b -- {{ -->c": "ac",
    "a<!-- unclosed b": "a",
    "a<math>x_{{1}}</math> <code>b()</code> <pre>c</pre> <score>d</score> e": "a e",
    "a<gallery>\nFile:x.png|b\n</gallery>c<timeline>d</timeline>": "ac",
    '<syntaxhighlight lang="c">{{</syntaxhighlight>a<source>b</source>': "a",
    "a <nowiki>[[b]] ''c'' {{d}} http://e &amp; __TOC__</nowiki> f": "a [[b]] ''c'' {{d}} http://e & __TOC__ f",
    "''Iliad''<nowiki>'</nowiki>s": "Iliad's",
    "a<nowiki />b": "ab",
    # links
    "[[Cat]]": "Cat",
    "black [[cat]]s and [[Dog (pet)|dogs]]": "black cats and dogs",
    "[[a|b\nc]]": "b c",
    "[[a|[b] c]]": "[b] c",
    "[[Cat (pet)|]] in [[Help:Paris, Texas|]]": "Cat in Paris",
    "[[:Category:Cats]] and [[#Section]] and [[Media:x.ogg|sound]]": "Category:Cats and Section and sound",
    "a [[Category:Cats|sort]] [[category : Dogs]] b": "a b",
    "a [[File:x.jpg|thumb|caption [[b]] {{c}} [http://d e]]] f": "a f",
    "a [[image:x|b [[c|[[d]]]] e]] f": "a f",
    "a [[Слика:Мачка.JPG|мини|[[мачка]]]] b": "a b",
    "a [[Datei:x|thumb|b]] c": "a c",
    "a [[Kategorie:B_c]] d": "a d",
    "text\n[[de:Katze]]\n[[zh-min-nan:Niau]]\n[[simple:Cat]]": "text",
    "[[:de:Katze]] [[de:Katze|German]]": "de:Katze German",
    "stray [[a [[b]] and ]] c": "stray a b and c",
    "[[target\nbroken]]": "target broken",
    "[http://x.org/y?z the text] and [//x.org more] [mailto:a@b mail]": "the text and more mail",
    "[http://x.org] a": "a",
    "[http://x.org a [[b]] ''c'']": "a b c",
    "see https://x.org/a_(b), or (www.x.org).": "see , or .",
    # letters in bold and italics
    "'''bold''' ''italic'' '''''both'''''": "bold italic both",
    "''one''' s": "one' s",
    "'''four''''s and ''''x'''": "four's and 'x",
    "L'''Été'' et dell'''Opera''": "LÉté et dellOpera",
    "L'''Été'' est": "L'Été est",
    "dell'''Opera'' è": "dell'Opera è",
    "don't '' a": "don't a",
    "''x''<sub>''i''</sub> ''a''{{t}}''b'' ''c''<ref>d</ref>''e''": "xi ab ce",
    # lines
    "== Heading ==\n=== '''Next''' ===\ntext": "Heading\nNext\ntext",
    "one\ntwo\n\nthree": "one two\nthree",
    "* a\n** b\n# c\n:: d\n; e\n text\n----\nf": "a\nb\nc\nd\ne\ntext\nf",
    "a<br>b<br />c<p>d</p>": "a\nb\nc\nd",
    "-40 degrees": "-40 degrees",
    "'''!Xóõ''' is": "!Xóõ is",
    # other
    "__NOTOC__a __БЕЗ_ОГЛАВЛЕНИЯ__ __init__": "a __init__",
    "#REDIRECT [[Cat]]": "",
    "H<sub>2</sub>O <span style='x'>is</span> <b>wet</b>": "H2O is wet",
    "if x<y and z>w, List<String>": "if x<y and z>w, List<String>",
    "a&nbsp;b &lt;ref&gt; &#233; &amp;amp; &unknown; AT&T &#xD800;": "a b <ref> é &amp; &unknown; AT&T \ufffd",
    "Paris ({{IPA|x}}; {{lang|y}}) is": "Paris is",
    "-{zh-hans:甲;zh-hant:乙}- -{丙}- -{H|zh:丁}- -{A|zh:戊;zh-tw:己}-": "甲 丙 戊",
    "": "",
    "{{only}} . ''": "",
}


@pytest.mark.parametrize(("markup", "text"), RULES.items())
def test_rule(markup: str, text: str) -> None:
    assert plain_text(markup, wikitext.HIDDEN | {"datei", "kategorie"}) == text


def test_redirects_in_any_language_but_no_lists() -> None:
    assert is_redirect("#redirect[[Cat]]")
    assert is_redirect(" #WEITERLEITUNG [[Katze]]\n[[Kategorie:X]]")
    assert is_redirect("#перенаправление: [[Кошка]]")
    assert not is_redirect("# [[Cat]]\n# [[Dog]]")
    assert not is_redirect("#Black [[Cat]]\n#White [[Dog]]")
    assert not is_redirect("Text #REDIRECT [[Cat]]")


GARBAGE = [
    "{{",
    "[[",
    "''''",
    "'",
    "<ref>",
    "<ref ",
    "<nowiki>",
    "<div>",
    "<table>",
    "\n{|",
    "[[File:a|",
    "[[a|",
    "=",
    " ",
]
GARBAGE += [
    "}}",
    "]]",
    "[http://a ",
    "&",
    "__A",
    "-{",
    "( ",
    "<!--",
    "{{[[",
    "[[{{",
    "www.",
    "*",
    "\n|",
    "&#",
    "<",
    "#a [[",
]


@pytest.mark.parametrize("unit", GARBAGE)
def test_nested_garbage_is_read_in_linear_time(unit: str) -> None:
    """Sizes at which anything quadratic would be hard to overlook."""
    many = unit * 40_000
    for garbage in (many, f"[[a{many}|]] end", f"{{{{{many}}}}} end"):
        text = plain_text(f"start\n\n{garbage}")
        assert text.startswith("start")
        assert "{{" not in text
        assert "[[" not in text
