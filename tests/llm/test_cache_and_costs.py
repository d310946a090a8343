"""What is kept of calls, what they cost, and that the key is in none of it."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
import traceback
from pathlib import Path

import pytest
from llm_calls import Colour, asking, calling, png
from pydantic import ValidationError

from riskchain_gym.llm.budget import Budget
from riskchain_gym.llm.cache import ReplyCache
from riskchain_gym.llm.client import ModelClient
from riskchain_gym.llm.failures import CallFailure
from riskchain_gym.llm.fake_replies import EMPTY, REFUSES_ENGLISH, Fail, Hang, Say, cut, say_json
from riskchain_gym.llm.prices import Price, PriceTable, shipped_prices
from riskchain_gym.llm.reply import Usage
from riskchain_gym.llm.settings import ModelSettings
from riskchain_gym.protocol.errors import ConfigError, InputFileError, MissingExtraError

pytest.importorskip("openai")

GREEN = say_json({"colour": "green"})
PRICES = PriceTable(
    as_of="2026-01-01", source="this test", models={"scripted": Price(input=2, cached_input=1, output=10)}
)
KEY = "sk-planted-0123456789abcdef"


def files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def test_the_same_call_is_made_once(tmp_path: Path) -> None:
    cache = ReplyCache(tmp_path)
    with calling([say_json({"colour": "green"}, usage=(10, 0, 5))], cache=cache, prices=PRICES) as (client, served, _):
        first, second = (client.complete(asking(form=Colour, images=(png(),))) for _ in range(2))
        assert len(served.requests) == 1
    assert (first.cached, second.cached, second.attempts) == (False, True, 0)
    assert (second.parsed, second.raw, second.usage) == (first.parsed, first.raw, first.usage)
    assert first.cost == second.cost == pytest.approx(70e-6)
    assert len(files(tmp_path)) == 1


def test_what_bears_on_the_answer_is_part_of_the_key() -> None:
    with calling([GREEN]) as (client, _, _):
        base = asking(form=Colour, images=(png(2),))
        changed = [
            asking("Which color?", Colour, (png(2),)),
            asking(form=None, images=(png(2),)),
            asking(form=Colour, images=(png(3),)),
            asking(form=Colour),
            base.model_copy(update={"parser": "judge/2"}),
            base.model_copy(update={"temperature": 1.0}),
            base.model_copy(update={"max_tokens": 9}),
        ]
        keys = [client.cache_key(request) for request in (base, *changed)]
        assert len(set(keys)) == len(keys)
        others = [{"model": "m"}, {"seed": 1}, {"extra": {"top_k": 1}}, {"structure": "prompt"}, {"endpoint": "e"}]
        for other in others:
            settings = client.settings.model_copy(update=other)
            with ModelClient(settings, api_key="another") as changed_client:
                keys.append(changed_client.cache_key(base))
        assert len(set(keys)) == len(keys)
        with ModelClient(client.settings, api_key="yet-another") as same:
            assert same.cache_key(base) == keys[0]


def test_a_named_endpoint_shares_its_cache_between_addresses(tmp_path: Path) -> None:
    for text in ("green", "red"):
        script = [say_json({"colour": text})]
        with calling(script, cache=ReplyCache(tmp_path), endpoint="house") as (client, _, _):
            assert client.complete(asking(form=Colour)).parsed == {"colour": "green"}


@pytest.mark.parametrize(
    "reply", [Fail(500), Fail(401), EMPTY, cut(), Hang()], ids=["500", "401", "empty", "cut", "hang"]
)
def test_what_is_no_word_of_the_model_is_not_kept(reply: object, tmp_path: Path) -> None:
    with calling([reply], cache=ReplyCache(tmp_path), timeout=1.0, attempts=1) as (client, _, _):
        assert client.complete(asking()).failure is not None
    assert files(tmp_path) == []


def test_what_the_model_said_is_kept_though_it_is_no_answer(tmp_path: Path) -> None:
    with calling([REFUSES_ENGLISH], cache=ReplyCache(tmp_path)) as (client, endpoint, _):
        replies = [client.complete(asking(form=Colour)) for _ in range(2)]
        assert len(endpoint.requests) == 1
    assert [reply.failure for reply in replies] == [CallFailure.REFUSED] * 2


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b'{"format": 1}', b"\xff\xfe", b"SWAPPED"])
def test_a_damaged_entry_is_asked_for_again(damage: bytes, tmp_path: Path) -> None:
    with calling([GREEN], cache=ReplyCache(tmp_path)) as (client, endpoint, _):
        client.complete(asking(form=Colour))
        (entry,) = files(tmp_path)
        swapped = entry.read_bytes().replace(b"green", b"black")
        entry.write_bytes(swapped if damage == b"SWAPPED" else damage)
        with pytest.warns(UserWarning, match="damaged"):
            assert client.complete(asking(form=Colour)).parsed == {"colour": "green"}
        assert client.complete(asking(form=Colour)).cached
        assert len(endpoint.requests) == 2


def test_an_answer_that_cannot_be_kept_is_an_answer(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    cache = ReplyCache(tmp_path / "file")
    with calling([GREEN], cache=cache) as (client, _, _), pytest.warns(UserWarning, match="could not be kept"):
        assert client.complete(asking(form=Colour)).parsed == {"colour": "green"}


WRITER = """
import sys
from pathlib import Path
from riskchain_gym.llm.cache import ReplyCache
cache = ReplyCache(Path(sys.argv[1]))
for _ in range(40):
    cache.put("ab" * 32, sys.argv[2] * 100_000)
    assert set(cache.get("ab" * 32)) <= {"x", "y"}
"""


def test_processes_share_a_folder(tmp_path: Path) -> None:
    command = [sys.executable, "-W", "error", "-c", WRITER, str(tmp_path)]
    writers = [subprocess.Popen([*command, letter]) for letter in "xy"]
    assert [writer.wait(timeout=60) for writer in writers] == [0, 0]
    assert len(files(tmp_path)) == 1


def test_prices_count_cached_tokens_apart_and_unknown_is_unknown() -> None:
    usage = Usage(input_tokens=1_000_000, cached_input_tokens=400_000, output_tokens=100_000)
    assert PRICES.cost("scripted", usage) == pytest.approx(1.2 + 0.4 + 1.0)
    assert PRICES.cost("another", usage) is None
    assert PRICES.cost("scripted", None) is None
    assert Price(input=2, output=10).cost(usage) == pytest.approx(3.0)


def test_shipped_prices_can_be_overridden(tmp_path: Path) -> None:
    shipped = shipped_prices()
    assert shipped.models
    assert all(price.output > 0 for price in shipped.models.values())
    own = tmp_path / "prices.toml"
    own.write_text('as_of = "2026-02-03"\nsource = "mine"\n[models."my-model"]\ninput = 1\noutput = 2\n')
    assert shipped_prices(own).models == {**shipped.models, "my-model": Price(input=1, output=2)}
    own.write_text('as_of = "2026-02-03"\nsource = "mine"\n[models."my-model"]\ninput = -1\noutput = 2\n')
    with pytest.raises(InputFileError, match=r"models\.my-model\.input"):
        shipped_prices(own)


def test_a_budget_refuses_once_it_is_spent(tmp_path: Path) -> None:
    budget = Budget(150e-6)
    said = say_json({"colour": "green"}, usage=(10, 0, 5))  # 70e-6 dollars
    with calling([said], budget=budget, prices=PRICES, cache=ReplyCache(tmp_path)) as (client, endpoint, _):
        replies = [client.complete(asking(f"{i}", Colour)) for i in range(5)]
        again = client.complete(asking("0", Colour))
    assert [reply.failure for reply in replies] == [None] * 3 + [CallFailure.OVER_COST] * 2
    assert (len(endpoint.requests), replies[3].attempts, again.cached) == (3, 0, True)
    assert budget.spent == pytest.approx(210e-6)


def test_an_attempt_without_an_answer_does_not_close_a_budget() -> None:
    with calling([Fail(500), GREEN], budget=Budget(1), prices=PRICES) as (client, _, _):
        assert client.complete(asking(form=Colour)).attempts == 2


def test_a_budget_that_cannot_count_refuses() -> None:
    with pytest.raises(ConfigError, match="price is unknown"), calling([GREEN], budget=Budget(1)):
        pass
    with calling([Say("hi", usage=None)], budget=Budget(1), prices=PRICES) as (client, _, _):
        assert [client.complete(asking(t)).failure for t in "ab"] == [None, CallFailure.COST_UNKNOWN]
    with pytest.raises(ConfigError, match="positive"):
        Budget(0)


def test_the_key_is_nowhere(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    seen: list[str] = []
    scripts = [[GREEN], [Fail(500, f"bad key {KEY}")], [cut()], [Hang()], [Say(f"the key is {KEY}")]]
    for script in scripts:
        timeout = 0.5 if script == [Hang()] else 30.0
        with calling(script, KEY, cache=ReplyCache(tmp_path), timeout=timeout, attempts=1) as (client, endpoint, _):
            reply = client.complete(asking(str(script)[:9]))
            seen += [repr(client), repr(client.settings), client.settings.model_dump_json(), reply.model_dump_json()]
            seen += [
                client.cache_key(asking()),
                repr(endpoint.requests),
                json.dumps([r.body for r in endpoint.requests]),
            ]
            seen += [repr(vars(client))]
    with calling([GREEN], KEY, api_key="another") as (client, _, _):
        reply = client.complete(asking())
        assert "Incorrect API key provided: [key]" in reply.raw
        seen += [reply.model_dump_json()]
        try:
            client.complete(asking(images=(b"no picture",)))
        except ValueError:
            seen.append(traceback.format_exc())
    seen += [path.read_text() for path in files(tmp_path)] + [caplog.text, *capfd.readouterr()]
    assert files(tmp_path)
    assert caplog.text
    assert not [text for text in seen if KEY in text]


def test_settings_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RISKCHAIN_LLM_BASE_URL", "http://127.0.0.1:9/v1/")
    monkeypatch.setenv("RISKCHAIN_LLM_MODEL", "m")
    assert ModelSettings.of().base_url == "http://127.0.0.1:9/v1"
    assert ModelSettings.of(model="n", timeout=3).model == "n"
    monkeypatch.delenv("RISKCHAIN_LLM_MODEL")
    with pytest.raises(ConfigError, match="RISKCHAIN_LLM_MODEL"):
        ModelSettings.of()
    bad = ("ftp://x", "127.0.0.1:8000", "http://127.0.0.1:80a/v1", "http://[::1/v1", "http://a.b/v1/chat/completions/")
    for address in (*bad, f"http://u:{KEY}@127.0.0.1/v1", f"http://127.0.0.1/v1?key={KEY}"):
        with pytest.raises(ConfigError, match="base_url") as refused:
            ModelSettings.of(base_url=address, model="m")
        with pytest.raises(ValidationError) as invalid:
            ModelSettings(base_url=address, model="m")
        assert KEY not in "".join(map(str, (*traceback.format_exception(refused.value), invalid.value)))


@pytest.mark.parametrize("key", [f"{KEY}\nX-Other: 1", f"{KEY}密", f"Bearer {KEY}", "\x01" + KEY])
def test_a_key_that_is_none_is_refused_without_being_quoted(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RISKCHAIN_LLM_API_KEY", key)
    with pytest.raises(ConfigError, match="printable ASCII") as refused:
        ModelClient(ModelSettings(base_url="http://127.0.0.1:9/v1", model="m"))
    assert KEY not in str(refused.value)


def test_the_key_of_the_environment_is_used_without_its_line_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RISKCHAIN_LLM_API_KEY", f"{KEY}\n")
    with calling([GREEN], None, api_key=KEY) as (client, _, _):
        assert client.complete(asking()).failure is None


def test_a_missing_extra_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'riskchain-gym\[llm\]'"):
        ModelClient(ModelSettings(base_url="http://127.0.0.1:9/v1", model="m"))
