"""An independent reading of whole sites: do people, or a model, who see no gold come to the constructed labels?

Usage: python benchmarks/blind_reading.py draw --release DIR --out OUT --key KEYDIR [--sites 60] [--seed 20261130]
       python benchmarks/blind_reading.py compare --answers FILE --key KEYDIR/key.jsonl --source model|human
              [--settled FILE] [--packets OUT/packets] [--reader NAME] [--json] [--out FILE] [--check]

``draw`` draws sites of a release, as many of each split, spread over decisions, types, languages and families. A walk
that knows no gold follows every link and sends every form; what it sees becomes one text a site
(``OUT/packets/NN.txt``), with ``OUT/instructions.txt`` beside them. The key goes to a folder of its own, which a reader
must not have.

``compare`` prints how far a reader's answers agree with the labels, and every disagreement with what each side rests
on. What a disagreement came to is a line of the file of settlements: packet, verdict ("label right", "reader right" or
"site unclear") and reason. ``--check`` exits with 1 unless every packet is answered, 90 % agree on decision and type,
and every disagreement is settled.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from blind.comparing import Compared, compared
from blind.drawing import SPLITS, draw
from blind.rows import KeyRow, read_answers, read_key, read_settled
from blind.showing import as_markdown
from blind.writing import check_places, write_draw

from riskchain_gym.places import check_file
from riskchain_gym.protocol.errors import InputFileError, RiskChainError
from riskchain_gym.protocol.files import write_atomically
from riskchain_gym.protocol.model import sha256_of


def drawing(options: argparse.Namespace) -> int:
    """Draw sites and write their packets."""
    check_places(options.out, options.key)
    drawn = draw(options.release, options.sites, options.seed, options.split or SPLITS)
    lengths = sorted(
        write_draw(drawn, options.release, options.seed, options.split or SPLITS, options.out, options.key)
    )
    print(
        f"{len(drawn)} packets in {options.out}, of {lengths[0]} to {lengths[-1]} characters, "
        f"half of them up to {lengths[len(lengths) // 2]}; their key in {options.key}."
    )
    return 0


def comparing(options: argparse.Namespace) -> int:
    """Compare answers with the key."""
    if options.out is not None:
        check_file(options.out)
    key = read_key(options.key)
    found: Compared = compared(
        key,
        read_answers(options.answers, key),
        read_settled(options.settled, key) if options.settled else {},
        source=options.source,
        reader=options.reader,
        texts=packets(options.packets, key) if options.packets else None,
    )
    said = found.model_dump_json(indent=2) + "\n" if options.json else as_markdown(found)
    if options.out is not None:
        write_atomically(options.out, said.encode())
    print(said, end="")
    problems = found.problems()
    for problem in problems:
        print(f"blind_reading: {problem}", file=sys.stderr)
    return 1 if options.check and problems else 0


def packets(folder: Path, key: dict[str, KeyRow]) -> dict[str, str]:
    """Return the packets of a key by name.

    Raises:
        InputFileError: One cannot be read, or is not the one of the key.
    """
    texts: dict[str, str] = {}
    for packet, row in key.items():
        path = folder / f"{packet}.txt"
        try:
            texts[packet] = path.read_bytes().decode()
        except (OSError, UnicodeDecodeError) as error:
            raise InputFileError(path, "", f"cannot be read ({error}), give the packets that draw wrote") from error
        if sha256_of(texts[packet]) != row.sha256:
            raise InputFileError(path, "", "is not the packet of the key, draw it again")
    return texts


def parser() -> argparse.ArgumentParser:
    """Return the parser of the two commands."""
    whole = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = whole.add_subparsers(required=True, metavar="draw|compare")
    one = commands.add_parser("draw", help="draw sites and write their packets and their key")
    one.set_defaults(run=drawing)
    one.add_argument("--release", type=Path, required=True, help="folder of `riskchain build sites`")
    one.add_argument("--out", type=Path, required=True, help="new folder for the reader")
    one.add_argument("--key", type=Path, required=True, help="new folder for the key, away from --out")
    one.add_argument("--sites", type=int, default=60)
    one.add_argument("--seed", type=int, default=20261130)
    one.add_argument("--split", action="append", help=f"draw from this split; repeat it (default: {', '.join(SPLITS)})")
    other = commands.add_parser("compare", help="compare a reader's answers with the labels")
    other.set_defaults(run=comparing)
    other.add_argument("--answers", type=Path, required=True, help="JSONL file, one answer a line")
    other.add_argument("--key", type=Path, required=True, help="key.jsonl of the draw")
    other.add_argument("--source", choices=("model", "human"), required=True, help="who read")
    other.add_argument("--reader", default="", help="name of the reader")
    other.add_argument("--settled", type=Path, help="JSONL file, one settlement a line")
    other.add_argument("--packets", type=Path, help="folder of the packets, to look quotes up in")
    other.add_argument("--out", type=Path, help="write what is printed to this file, too")
    other.add_argument("--check", action="store_true")
    form = other.add_mutually_exclusive_group()
    form.add_argument("--markdown", action="store_true", help="print Markdown (the default)")
    form.add_argument("--json", action="store_true", help="print JSON")
    return whole


def main() -> None:
    options = parser().parse_args()
    try:
        sys.exit(options.run(options))
    except RiskChainError as error:
        print(f"blind_reading: {error}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
