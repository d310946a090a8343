"""Tables as files: CSV, and Parquet where pyarrow is installed."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from importlib.util import find_spec
from itertools import islice
from typing import BinaryIO

from riskchain_gym.evaluation.exports.table import Cell, Columns
from riskchain_gym.protocol.errors import MissingExtraError

Rows = Iterable[dict[str, Cell]]

BATCH = 256
"""Rows of a row group, and so in memory at once."""


def write_csv(file: BinaryIO, columns: Columns, rows: Rows) -> int:
    """Write rows as CSV in UTF-8: what is unknown is empty, truth is ``true`` or ``false``.

    Args:
        file: Where to write.
        columns: The columns.
        rows: The rows.

    Returns:
        The number of rows.
    """
    text = io.TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    count = 0
    for row in rows:
        writer.writerow({name: str(each).lower() if isinstance(each, bool) else each for name, each in row.items()})
        count += 1
    text.detach()
    return count


def check_parquet() -> None:
    """Refuse to write Parquet where pyarrow is not installed.

    Raises:
        MissingExtraError: It is not.
    """
    if find_spec("pyarrow") is None:
        raise MissingExtraError("parquet", "Writing Parquet")


def write_parquet(file: BinaryIO, columns: Columns, rows: Rows) -> int:
    """Write rows as Parquet, a group of :data:`BATCH` rows at a time.

    Args:
        file: Where to write.
        columns: The columns.
        rows: The rows.

    Returns:
        The number of rows.

    Raises:
        MissingExtraError: pyarrow is not installed.
    """
    check_parquet()
    import pyarrow as pa
    from pyarrow import parquet

    kinds = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_()}
    schema = pa.schema([(name, kinds[kind]) for name, kind in columns.items()])
    with parquet.ParquetWriter(file, schema, compression="zstd") as writer:
        left, count = iter(rows), 0
        while some := list(islice(left, BATCH)):
            writer.write_table(pa.Table.from_pylist(some, schema=schema))
            count += len(some)
    return count
