"""Errors as Python shows them and as the command line does."""

import copy

import pytest

from lexvec.errors import (
    ArtefactError,
    Given,
    InputError,
    LexvecError,
    ParameterError,
    UnknownWordError,
    close_words,
    did_you_mean,
)


@pytest.mark.parametrize(
    ("given", "python", "flag"),
    [
        (Given("dim", 0), "dim=0", "--dim 0"),
        (Given("min_count", None), "min_count=None", "--min-count None"),
        (Given("encoding", "utf 8"), "encoding='utf 8'", "--encoding 'utf 8'"),
        (Given("force", True), "force=True", "--force"),
        (Given("lowercase", False), "lowercase=False", "--no-lowercase"),
        (Given("max_vocab"), "max_vocab", "--max-vocab"),
    ],
)
def test_a_parameter_has_two_names(given: Given, python: str, flag: str) -> None:
    error = ParameterError(given, ": it cannot be")
    assert (str(error), error.for_command_line()) == (f"{python}: it cannot be", f"{flag}: it cannot be")


def test_long_values_are_cut() -> None:
    assert len(str(Given("x", "y" * 10_000))) < 250 and len(Given("x", "y" * 10_000).flag) < 250
    assert len(str(UnknownWordError("y" * 10_000, ["a"]))) < 300


def test_an_error_without_parameters_reads_the_same_everywhere() -> None:
    for error in (LexvecError("a message"), UnknownWordError("kat", ["cat"]), ArtefactError()):
        assert error.for_command_line() == str(error)


def test_errors_can_be_copied() -> None:
    error = copy.copy(ParameterError(Given("dim", 0), ": no"))
    assert error.for_command_line() == "--dim 0: no"


def test_suggestions() -> None:
    assert did_you_mean("simlex", ["men", "simlex-999"]) == "did you mean 'simlex-999'?"
    assert did_you_mean(3, ["men"]) == did_you_mean("", []) == did_you_mean("x" * 10**6, ["men"]) == ""
    assert str(UnknownWordError(3, ["3"])) == "3 is not in the vocabulary: check the spelling"


def test_letters_that_changed_places_are_one_mistake() -> None:
    pytest.importorskip("rapidfuzz", reason="rapidfuzz is not installed: pip install 'lexvec[explore]'")
    assert close_words("kign", ["king", "kin", "ign", "kind"], 2) == ["king", "kin"]  # of equal ones the frequent


def test_a_message_is_one_line_whatever_names_are_in_it() -> None:
    error = InputError("a file named wor\nd\x1b[31m and tüte–…: check it")
    assert str(error) == error.for_command_line() == r"a file named wor\nd\x1b[31m and tüte–…: check it"
