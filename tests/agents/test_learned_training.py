"""How the learned restorer is trained: examples, and the same arithmetic in torch and in numpy."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from riskchain_gym.agents.restore.learned_model import read_model
from riskchain_gym.agents.restore.learned_network import BEGIN, END, Network, Shape
from riskchain_gym.agents.restore.learned_text import ALPHABET, SPECIALS, row_of
from riskchain_gym.fitting.restorer_data import iter_examples
from riskchain_gym.fitting.restorer_labels import UNKNOWN, found_in
from riskchain_gym.messages.recipes import get_recipe
from riskchain_gym.messages.techniques.registry import get_technique
from riskchain_gym.protocol.keyed import key_from_seed

KEY = key_from_seed(2026)


def test_examples_show_no_held_out_technique_and_repeat() -> None:
    once = list(islice(iter_examples(KEY, {}, seed=1), 150))
    again = list(islice(iter_examples(KEY, {}, seed=1), 150))
    assert [(recipe, e.row.text, e.pointers) for recipe, e in once] == [
        (recipe, e.row.text, e.pointers) for recipe, e in again
    ]
    for recipe, _ in once:
        assert get_recipe(recipe)
        names = [step.partition("@")[0] for step in recipe.split("+") if "@" in step]
        assert not any(get_technique(name).held_out for name in names)


def test_pointers_lead_to_characters_that_carry_the_entry() -> None:
    known = 0
    for _, example in islice(iter_examples(KEY, {}, seed=2), 200):
        assert len(example.labels) == len(example.row.text) == len(example.row.characters)
        for symbol, place in zip(example.spelled, example.pointers, strict=False):
            if place != UNKNOWN:
                known += 1
                assert example.labels[place] == 1 + symbol
    assert known > 500


@pytest.mark.parametrize(
    ("shown", "target", "places"),
    [
        ("tset.q.ba", "ab.q.test", [8, 7, 6, 5, 4, 3, 2, 1, 0]),
        ("test.q.ab", "ab.q.test", [7, 8, 4, 5, 6, 0, 1, 2, 3]),
        ("\nca\ndb\n", "abcd", [2, 5, 1, 4]),
        ("q", ".q", [None, 0]),
    ],
)
def test_characters_are_found_where_the_order_is_another(shown: str, target: str, places: list[int | None]) -> None:
    found = found_in(shown, target)
    assert found is not None
    assert [found.get(i) for i in range(len(target))] == places


def test_what_shows_another_text_is_not_taken_for_it() -> None:
    assert found_in("xyz", "abcdefgh") is None


@pytest.mark.rllib
def test_numpy_computes_what_torch_does() -> None:
    torch = pytest.importorskip("torch")
    from riskchain_gym.fitting.restorer_network import Network as Trained

    torch.manual_seed(0)
    shape = Shape(width=32, heads=2, hidden=48, encoder_layers=2, decoder_layers=2)
    vocabulary = {char: SPECIALS + place for place, char in enumerate("abc.登录")}
    trained = Trained(shape, len(vocabulary)).eval()
    arrays = {n: v.numpy() for n, v in trained.state_dict().items() if not n.startswith("ordinals.")}
    network = Network(arrays, shape, vocabulary)
    row = row_of("\0登录 k4rp0b.qe.test 漢\0ok", (0, 1), vocabulary)
    memory = network.read(row)
    inputs = torch.from_numpy(np.stack((row.characters, row.folds, row.classes, row.twins)))[:, None]
    text = "k4.q"
    symbols = [ALPHABET.index(char) for char in text]
    with torch.no_grad():
        out = trained(inputs, torch.tensor([[BEGIN, *symbols]]))
    logs = out.symbols.log_softmax(-1)[0]
    wanted = sum(float(logs[step, symbol]) for step, symbol in enumerate([*symbols, END]))
    assert network.score(memory, [text]) == pytest.approx([wanted], abs=1e-4)
    assert network.labels(memory).tolist() == out.labels[0].argmax(-1).tolist()
    spelled = network.spell(memory, 5)
    assert network.score(memory, [each.text for each in spelled]) == pytest.approx(
        [each.score for each in spelled], abs=1e-4
    )


@pytest.mark.rllib
def test_training_writes_a_model_that_can_be_read(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    from riskchain_gym.agents.restore.learned_model import write_model
    from riskchain_gym.fitting.restorer_training import Settings, train

    shape = Shape(width=32, heads=2, hidden=48, encoder_layers=1, decoder_layers=1)
    settings = Settings(steps=2, tokens=512)
    saved: list[int] = []
    weights = train(KEY, {"a": SPECIALS}, shape, settings, lambda step, _: saved.append(step))
    write_model(tmp_path / "small.safetensors", weights, shape, ["a"], {"command": "none"})
    network, made = read_model(tmp_path / "small.safetensors")
    assert saved == [2]
    assert made["command"] == "none"
    assert network.spell(network.read(row_of("\0a", (0,), network.vocabulary)), 3)
