"""The script in the page on language models serves answers of the form that the judges ask for."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import urllib.request
from pathlib import Path

from riskchain_gym.scoring.judge.llm import JudgeAnswer
from riskchain_gym.scoring.judge.pairwise import PairAnswer

PAGE = Path(__file__).parents[2] / "docs" / "llm.md"


def asked(base_url: str, schema: object) -> str:
    """Return what the endpoint at an address says to a request for an answer of that schema."""
    form = {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema}}
    body = {"model": "scripted", "messages": [{"role": "user", "content": "?"}], "response_format": form}
    request = urllib.request.Request(f"{base_url}/chat/completions", json.dumps(body).encode())
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(request, timeout=30) as reply:
        said: str = json.load(reply)["choices"][0]["message"]["content"]
    return said


def test_the_script_serves_both_judges_until_it_is_ended() -> None:
    found = re.search(r"<!-- script -->\n```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert found is not None
    with subprocess.Popen([sys.executable, "-c", found[1]], stdout=subprocess.PIPE, encoding="utf-8") as served:
        try:
            assert served.stdout is not None
            line = served.stdout.readline()
            address = re.search(r"RISKCHAIN_LLM_BASE_URL=(\S+) RISKCHAIN_LLM_MODEL=scripted$", line)
            assert address is not None, line
            JudgeAnswer.model_validate_json(asked(address[1], JudgeAnswer.model_json_schema()))
            PairAnswer.model_validate_json(asked(address[1], PairAnswer.model_json_schema()))
        finally:
            served.kill()


def test_the_page_names_every_answer_that_is_taken() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for model in (JudgeAnswer, PairAnswer):
        for name, field in model.model_json_schema()["properties"].items():
            allowed = " \\| ".join(f'"{value}"' for value in field.get("enum", ()))
            assert f'"{name}": {allowed}' in page
