from __future__ import annotations

import json
import math
from typing import Any

import pytest

from trainer import protocol
from trainer.protocol import MAX_LINE, ProtocolError, decode, encode, number, proof, proves

TOKEN = protocol.new_token()


@pytest.mark.parametrize(
    ("value", "text"),
    [(math.nan, "NaN"), (math.inf, "Infinity"), (-math.inf, "-Infinity")],
)
def test_that_what_json_cannot_say_travels_as_a_word_and_comes_back(
    value: float, text: str
) -> None:
    line = encode({"metrics": {"loss": value, "fine": 1.5}, "all": [value, (value,)]})
    json.loads(line, parse_constant=lambda word: pytest.fail(f"{word} is not JSON"))
    message = decode(line)
    assert message == {"metrics": {"loss": text, "fine": 1.5}, "all": [text, [text]]}
    back = number(message["metrics"]["loss"])
    assert back == value or (math.isnan(back) and math.isnan(value))


@pytest.mark.parametrize(
    "message",
    [
        {},
        {"a": None, "b": True, "c": 0, "d": -1.5e-300, "e": [], "f": {}},
        {"text": "한국어, ümlaut, \u2028 and \x00 and \U0001f600"},
        {"text": 'line\nbreak\r\n"quoted"\\'},
        {"deep": {"deep": [{"deep": [[[]]]}]}},
        {"big": 2**63, "small": -(2**63)},
    ],
)
def test_that_a_message_comes_back_as_it_was_in_one_line(message: dict[str, Any]) -> None:
    line = encode(message)
    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")
    assert decode(line) == message


def test_that_keys_which_are_no_text_become_text() -> None:
    assert decode(encode({"slots": {1: 2, (3, 4): 5}})) == {"slots": {"1": 2, "(3, 4)": 5}}


def test_that_half_a_surrogate_pair_does_not_break_the_line() -> None:
    assert decode(encode({"text": "a\ud800b"})) == {"text": "a\ud800b"}


def test_that_the_limit_counts_the_newline() -> None:
    room = MAX_LINE - len(encode({"t": ""}))
    assert len(encode({"t": "x" * room})) == MAX_LINE
    with pytest.raises(ProtocolError, match="over the limit"):
        encode({"t": "x" * (room + 1)})
    with pytest.raises(ProtocolError, match="over the limit"):
        decode(b" " * (MAX_LINE + 1))


@pytest.mark.parametrize(
    "line",
    [b"", b"\n", b"[]", b"1", b"null", b'"text"', b"{", b"{}{}", b"\xff\xfe", b"{'a': 1}",
     b"\x00" * 10, b"[" * 100000, b'{"a":' * 50000, b"GET / HTTP/1.1", b'{"a": 01}'],
)  # fmt: skip
def test_that_anything_else_than_one_object_is_refused_with_a_sentence(line: bytes) -> None:
    with pytest.raises(ProtocolError) as caught:
        decode(line)
    assert str(caught.value)


def test_that_a_message_without_end_is_refused() -> None:
    endless: dict[str, Any] = {}
    endless["self"] = endless
    with pytest.raises(ProtocolError, match="too deeply"):
        encode(endless)


@pytest.mark.parametrize(
    "value", ["1", "nan", "inf", None, True, [], {}, ["NaN"], "", 10**400, "Infinity "]
)
def test_that_a_number_is_a_number_or_one_of_three_words(value: object) -> None:
    with pytest.raises(ProtocolError):
        number(value)


@pytest.mark.parametrize("value", [0, -3, 1.25, 2**70])
def test_that_numbers_become_floats(value: float) -> None:
    assert number(value) == value
    assert isinstance(number(value), float)


def test_that_tokens_and_nonces_are_long_and_never_the_same() -> None:
    assert len({protocol.new_token() for _ in range(100)}) == 100
    assert len({protocol.new_nonce() for _ in range(100)}) == 100
    assert len(protocol.new_token()) == 64
    assert len(protocol.new_nonce()) == 32


def test_that_a_proof_convinces_only_for_exactly_what_it_was_made_for() -> None:
    told = ("worker", "demo-1[0].a", "11", "22")
    good = proof(TOKEN, *told)
    assert proves(good, TOKEN, *told)
    assert not proves(good, protocol.new_token(), *told)
    for place in range(len(told)):
        other = list(told)
        other[place] += "x"
        assert not proves(good, TOKEN, *other)
    assert not proves(good, TOKEN, "worker", "demo-1[0].a", "22", "11")


@pytest.mark.parametrize("candidate", [None, 1, "", "0" * 64, [], b"x", "é" * 64, "\ud800"])
def test_that_rubbish_is_no_proof(candidate: object) -> None:
    assert not proves(candidate, TOKEN, "worker", "demo-1[0].a", "11", "22")


@pytest.mark.parametrize("name", ["a", "demo-1", "10.0.0.1", "user@host.example", "A_b-c.d", "9"])
def test_that_ordinary_host_names_are_taken(name: str) -> None:
    assert protocol.is_host_name(name)


@pytest.mark.parametrize(
    "name",
    ["", "-oProxyCommand=x", ".hidden", "@host", "a b", "a;b", "a\n", "a$(x)", "a/b", "ä", "a" * 254,
     "a'b", 'a"b', "a:b", "a`b", "a\x00"],
)  # fmt: skip
def test_that_names_which_a_shell_could_misread_are_not(name: str) -> None:
    assert not protocol.is_host_name(name)
