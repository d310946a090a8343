"""Pictures of sites: a contact sheet of landing pages, and a folder with the pages of one site."""

from __future__ import annotations

import base64
import io
import math
import re
from collections.abc import Sequence
from html import escape
from pathlib import Path

from riskchain_gym.envs.browser.site_page import VIEWPORTS_PX, Viewport, drawing
from riskchain_gym.protocol.errors import ConfigError, InputFileError
from riskchain_gym.protocol.files import write_atomically
from riskchain_gym.sites.compiled import CompiledSite
from riskchain_gym.sites.show import ShownPage, landing_page

LARGEST_SHEET = 96
"""How many sites a sheet can hold; browsers draw no picture of any size."""

FORMATS = {".png": "PNG", ".webp": "WEBP"}
"""Picture formats by the ending of the file."""

SHEET_SHAPES = 4 / 3, 16 / 10
"""Width by height that a sheet has or comes near to, from and to."""

_THUMB_PX: dict[Viewport, int] = {"desktop": 480, "mobile": 234}
_GAP_PX = 16
_MARK = '<meta name="generator" content="riskchain sites show">'
_PAGE_NAME = re.compile(r"\d{2,}\.png|index\.html")
_CAPTION_LINE_PX, _CAPTION_GAP_PX = 20, 4


def contact_sheet(
    sites: Sequence[CompiledSite],
    out_path: Path,
    viewport: Viewport = "desktop",
    captions: Sequence[str] = (),
) -> Path:
    """Draw the landing pages of sites side by side, and write an index page that shows the same.

    Args:
        sites: One to :data:`LARGEST_SHEET` sites.
        out_path: PNG or WebP file to write; the index takes its name with ``.html``. Its folder must exist.
        viewport: The window: ``desktop`` (1280x900) or ``mobile`` (390x844).
        captions: What stands below each, in one or two lines; by default :func:`site_caption`.

    Returns:
        The index page.

    Raises:
        ConfigError: No site, or too many of them.
        InputFileError: The file is neither PNG nor WebP.
        MissingExtraError: The ``browser`` extra is not installed.
        BrowserUnavailableError: There is no browser, or it does not start.
        InfrastructureError: The browser failed.
        OSError: A file cannot be written.
    """
    if not 1 <= len(sites) <= LARGEST_SHEET:
        raise ConfigError(f"A sheet holds 1 to {LARGEST_SHEET} sites, got {len(sites)}: give another number.")
    if out_path.suffix.lower() not in FORMATS:
        raise InputFileError(out_path, "", f"is no picture, end its name in {' or '.join(FORMATS)}")
    said = captions or [site_caption(site) for site in sites]
    with drawing() as browser:
        pictures = [browser.draw(landing_page(site).html, *VIEWPORTS_PX[viewport]) for site in sites]
        document, sheet_width_px = _sheet([_smaller(picture, _THUMB_PX[viewport]) for picture in pictures], said)
        sheet = browser.draw(document, sheet_width_px, _GAP_PX, whole=True)
    write_atomically(out_path, _encoded(sheet, FORMATS[out_path.suffix.lower()]))
    index = out_path.with_suffix(".html")
    write_atomically(index, document.encode())
    return index


def site_caption(site: CompiledSite) -> str:
    """Return what tells a site from others on a sheet: its id and, in a second line, its language, form and theme."""
    return f"{site.site_id}\n{site.lang} · {site.look.presentation} · {site.look.theme}"


def sheet_columns(count: int, cell_width_px: float, cell_height_px: float) -> int:
    """Return how many columns bring a sheet nearest to :data:`SHEET_SHAPES`; where some do alike, the fullest sheet.

    Args:
        count: Number of cells, at least one.
        cell_width_px: Width of a cell, its gap counted.
        cell_height_px: Height of one.
    """

    def far(columns: int) -> tuple[float, int]:
        rows = math.ceil(count / columns)
        shape, (low, high) = columns * cell_width_px / (rows * cell_height_px), SHEET_SHAPES
        return round(max(math.log(low / shape), math.log(shape / high), 0.0), 1), rows * columns - count

    return min(range(1, count + 1), key=far)


def write_pages(pages: Sequence[ShownPage], folder: Path, viewport: Viewport = "desktop") -> list[Path]:
    """Draw pages from top to bottom, as ``01.png``, ``02.png`` … in a folder, with ``index.html`` beside them.

    Args:
        pages: The pages.
        folder: Folder to fill; it is made if need be.
        viewport: The window.

    Returns:
        The pictures.

    Raises:
        MissingExtraError: The ``browser`` extra is not installed.
        BrowserUnavailableError: There is no browser, or it does not start.
        InfrastructureError: The browser failed.
        OSError: A file cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with drawing() as browser:
        pictures = [browser.draw(page.html, *VIEWPORTS_PX[viewport], whole=True) for page in pages]
    files = [folder / f"{i:02}.png" for i in range(1, len(pages) + 1)]
    for file, picture in zip(files, pictures, strict=True):
        write_atomically(file, picture)
    cells = "".join(
        f'<h2>{i}. {escape(page.caption)}</h2><img src="{file.name}" alt="">'
        for i, (file, page) in enumerate(zip(files, pages, strict=True), 1)
    )
    css = "body{margin:24px;background:#dfe1e4;font:16px sans-serif}img{display:block;max-width:100%}h2{font-size:17px}"
    head = f'<meta charset="utf-8">{_MARK}<style>{css}</style>'
    page = f"<!DOCTYPE html><html><head>{head}</head><body>{cells}</body></html>"
    write_atomically(folder / "index.html", page.encode())
    return files


def check_pages_folder(folder: Path) -> None:
    """Refuse a folder that holds anything but what :func:`write_pages` has written there.

    Raises:
        InputFileError: It does; the text names a file that was not written here.
    """
    if not folder.is_dir():
        return
    names, index = sorted(file.name for file in folder.iterdir()), folder / "index.html"
    own = index.is_file() and _MARK in index.read_text(encoding="utf-8", errors="replace")
    foreign = [name for name in names if not own or _PAGE_NAME.fullmatch(name) is None]
    if foreign:
        raise InputFileError(folder, "", f"holds '{foreign[0]}', which was not written here, give an empty folder")


def _sheet(pictures: Sequence[bytes], captions: Sequence[str]) -> tuple[str, int]:
    """Return the document that shows the pictures, and its width."""
    from PIL import Image

    with Image.open(io.BytesIO(pictures[0])) as first:
        width_px, height_px = first.size
    lines = max(len(caption.splitlines()) for caption in captions)
    columns = sheet_columns(
        len(pictures), width_px + _GAP_PX, height_px + _CAPTION_GAP_PX + lines * _CAPTION_LINE_PX + _GAP_PX
    )
    css = (
        f"*{{box-sizing:border-box;margin:0}}body{{padding:{_GAP_PX}px;display:grid;gap:{_GAP_PX}px;"
        f"grid-template-columns:repeat(auto-fill,{width_px}px);background:#dfe1e4;color:#3a3f45;"
        f"font:14px/{_CAPTION_LINE_PX}px sans-serif}}img{{display:block;border-radius:4px}}"
        f"figcaption{{padding-top:{_CAPTION_GAP_PX}px}}figcaption span{{display:block;white-space:nowrap;"
        "overflow:hidden;text-overflow:ellipsis}figcaption span:first-child{font-weight:600}"
    )
    cells = "".join(
        f'<figure><img src="data:image/webp;base64,{base64.b64encode(picture).decode()}" width="{width_px}" '
        f'height="{height_px}" alt=""><figcaption>{_spans(caption)}</figcaption></figure>'
        for picture, caption in zip(pictures, captions, strict=True)
    )
    document = (
        f'<!DOCTYPE html><html><head><meta charset="utf-8"><style>{css}</style></head><body>{cells}</body></html>'
    )
    return document, columns * (width_px + _GAP_PX) + _GAP_PX


def _spans(caption: str) -> str:
    return "".join(f"<span>{escape(line)}</span>" for line in caption.splitlines())


def _smaller(picture: bytes, width_px: int) -> bytes:
    from PIL import Image

    with Image.open(io.BytesIO(picture)) as image:
        height_px = round(image.height * width_px / image.width)
        small = image.convert("RGB").resize((width_px, height_px), Image.Resampling.LANCZOS)
    return _saved(small, "WEBP")


def _encoded(png: bytes, kind: str) -> bytes:
    from PIL import Image

    if kind == "PNG":
        return png
    with Image.open(io.BytesIO(png)) as image:
        return _saved(image.convert("RGB"), kind)


def _saved(image: object, kind: str) -> bytes:
    from PIL import Image

    assert isinstance(image, Image.Image)
    out = io.BytesIO()
    image.save(out, kind, quality=88)
    return out.getvalue()
