"""The picture of a map of words."""

from xml.etree import ElementTree

from lexvec.presentation.svg import _box, _overlap, _placed, draw_word_map


def test_labels_keep_out_of_each_others_way() -> None:
    spots = [(300.0 + 30 * (n % 2), 300.0 + 40 * n) for n in range(10)]
    words = [f"word{n}" for n in range(10)] * 2
    close = [*spots, *((x + 12, y + 1) for x, y in spots)]
    boxes = [_box(word, place) for word, place in zip(words, _placed(words, close), strict=True)]
    for n, box in enumerate(boxes):
        assert not any(_overlap(box, other) for other in boxes[n + 1 :])


def test_words_colours_and_lines() -> None:
    words = ["a\x01b", "&<>\"'", "\U0001f600"]
    drawn = draw_word_map(words, [(0, 0), (1, 0), (1, 1)], kinds=[0, 0, 8], lines=[(0, 1)], caption="<c>")
    root = ElementTree.fromstring(drawn)
    texts = [element for element in root.iter() if element.tag.endswith("text")]
    assert [text.text for text in texts] == ["a\ufffdb", "&<>\"'", "\U0001f600", "<c>"]
    assert len({text.attrib["fill"] for text in texts[:3]}) == 1  # the ninth colour is the first again
    assert len([element for element in root.iter() if element.tag.endswith("line")]) == 1


def test_equal_points() -> None:
    assert "nan" not in draw_word_map(["a", "b"], [(1, 1), (1, 1)], kinds=[0, 1], lines=[], caption="c").lower()
