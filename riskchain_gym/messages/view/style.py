"""The style sheet of the view: every length in rem, so that one number scales all of it."""

from __future__ import annotations

from riskchain_gym.messages.view.faces import STYLE as FACE_STYLE

FONTS = (
    "'Noto Sans CJK SC','Noto Sans SC','Noto Sans','Noto Sans Math','Noto Sans Symbols','Noto Sans Symbols 2',"
    "'Noto Color Emoji',sans-serif"
)
"""The installed font families that are asked for, in order."""

_BASE = f"""
*{{box-sizing:border-box;margin:0;padding:0}}
body{{display:flex;flex-direction:column;font:1rem/1.5 {FONTS};background:var(--page);color:var(--ink);
position:relative}}
header,footer{{display:flex;align-items:center;gap:.75rem;height:2.75rem;padding:0 .75rem;background:var(--bar);
border-bottom:1px solid var(--line);flex:none}}
footer{{height:3rem;border:0;border-top:1px solid var(--line)}}
header b{{flex:1;text-align:var(--title);font-weight:700;font-size:1rem}}
footer s{{flex:1;height:2rem;border-radius:1rem;background:var(--page);border:1px solid var(--line)}}
.k{{width:1.375rem;height:1.375rem;fill:none;stroke:var(--muted);stroke-width:1.7;stroke-linecap:round;flex:none}}
.k .s{{fill:var(--muted);stroke:none}}
main{{flex:1}}
.row{{display:flex;gap:.625rem;align-items:flex-start}}
.said{{min-width:0}}
.a{{flex:none;width:2.25rem;height:2.25rem;border-radius:var(--face);overflow:hidden;background:var(--one);display:block}}
.a.recipient{{background:var(--two)}}
.a.author{{background:var(--faint)}}
.a svg{{display:block;width:100%;height:100%;fill:#fff;opacity:.82}}
.n{{font-size:.8125rem;line-height:1.25rem;height:1.25rem;color:var(--muted)}}
.t,.note span{{white-space:pre-wrap;overflow-wrap:anywhere;unicode-bidi:plaintext;tab-size:4}}
.note{{text-align:center;line-height:1.25rem}}
.note span{{display:inline-block;font-size:.8125rem;line-height:1.25rem;padding:.1875rem .625rem;border-radius:.75rem;
background:var(--faint);color:var(--muted);max-width:calc(100% - 2rem)}}
"""

_SURFACES = {
    "chat": """
main{padding:.75rem;display:flex;flex-direction:column;gap:.875rem}
.row.recipient{flex-direction:row-reverse}
.row .said{max-width:calc(100% - 5.125rem);display:flex;flex-direction:column;align-items:flex-start}
.row.recipient .said{align-items:flex-end}
.row .t{position:relative;padding:.5rem .75rem;border-radius:var(--radius);background:var(--theirs);max-width:100%;
box-shadow:0 .0625rem .125rem oklch(0 0 0/.07)}
.row.recipient .t{background:var(--mine)}
.row .t::before{content:"";display:var(--tail);position:absolute;top:.75rem;left:-.25rem;width:.625rem;height:.625rem;
background:inherit;transform:rotate(45deg);border-radius:.0625rem}
.row.recipient .t::before{left:auto;right:-.25rem}
""",
    "thread": """
body{background:var(--bar)}
main{padding:0 1rem}
main .row{padding:.875rem 0;border-bottom:1px solid var(--line)}
main .row .said{flex:1}
main .row.recipient{margin-left:2.875rem}
.row.recipient .a{width:1.75rem;height:1.75rem}
.m{display:flex;align-items:center;gap:1rem;height:1.25rem;margin-top:.375rem;font-size:.8125rem;color:var(--muted)}
.m em{flex:1}.m .k{width:1.125rem;height:1.125rem}
.note{padding:.75rem 0}
.post{padding:.75rem 1rem .875rem;border-bottom:.5rem solid var(--page)}
.post .n{color:var(--ink)}
.post .said{flex:1}
.post u{display:block;height:.625rem;border-radius:.3125rem;background:var(--faint);margin-top:.625rem;opacity:.75}
.post .said u{width:5rem;height:.5rem;margin-top:.25rem}
.post .long{width:72%}
""",
    "live": """
body{background:var(--dim);color:#fff}
.sky{position:absolute;inset:0;background:
radial-gradient(ellipse 44% 30% at 50% 92%,var(--dim2) 0 98%,transparent),
radial-gradient(circle 4.75rem at 50% 50%,var(--dim2) 0 98%,transparent),
radial-gradient(circle 15rem at 50% 46%,var(--glow),transparent),
linear-gradient(oklch(0 0 0/.12),transparent 30% 60%,oklch(0 0 0/.34)),var(--dim)}
header,footer,main{position:relative}
header,footer{background:none;border:0}
header{justify-content:space-between}
.k{stroke:#fff}.k .s{fill:#fff}
.who{display:flex;align-items:center;gap:.5rem;padding:.1875rem .875rem .1875rem .1875rem;border-radius:1.5rem;
background:var(--veil)}
.who .a{width:1.75rem;height:1.75rem;border-radius:50%;background:var(--two)}
.who b{font-size:.875rem;font-weight:400;text-align:left}
footer s{background:var(--veil);border:0}
main{display:flex;flex-direction:column;justify-content:flex-end;align-items:flex-start;gap:.375rem;padding:.75rem}
.over{max-width:calc(100% - 2rem);padding:.375rem .75rem;border-radius:var(--radius);background:var(--veil)}
.over b{font-weight:400;margin-right:.5rem;color:oklch(.87 .08 95)}
.over.recipient b{color:oklch(.86 .07 210)}
.over.system{color:oklch(.9 .05 150)}
""",
}


def style_sheet(css_class: str) -> str:
    """Return the CSS of a surface.

    Args:
        css_class: Class of the document's body, as :class:`~riskchain_gym.messages.view.surfaces.SurfaceView` names it.
    """
    return f"{_BASE}{_SURFACES[css_class]}{FACE_STYLE}".replace("\n", "")
