"""What a block leaves with other numbers in its code, as data for the page's script: all from the evidence of runs."""

import json

from book.drawing import pictures
from book.evidence import pinned_version
from book.reading import variants
from book.reading.snippets import Snippet
from book.reading.variants import Choice
from book.site.blocks import output_as_html
from book.site.pictures import caption_as_html


def as_json(config, snippet: Snippet, choices: list[Choice]) -> str:
    """A <script> of data: the choices, and per variant what differs from the page (outputs, bound values, frames)."""
    run = next(version for version in config.versions if version.torch == pinned_version())
    entry, picture = run.snippets[snippet.name], pictures.load(snippet.name)
    bound = {value.key: value for value in config.book.bound[snippet.name]}
    found = {}
    for key, left in entry.variants.items():
        values = [
            {"title": title(bound[key]), "shown": bound[key].shown, "found": found}
            for key, found in left["values"].items()
        ]
        outputs = {number: output_as_html(text) for number, text in left["outputs"].items()}
        found[key] = {"outputs": outputs, "values": values, "frames": frames(picture, key)}
    offered = [
        {"name": one.name, "shown": one.shown, "values": one.values, "keys": [variants.key(one, v) for v in one.values]}
        for one in choices
    ]
    data = {"name": snippet.name, "torch": run.torch, "choices": offered, "variants": found}
    return f'<script type="application/json" class="tried">{json.dumps(data).replace("</", "<" + chr(92) + "/")}</script>\n'


def frames(picture: pictures.Picture | None, key: str) -> dict[int, dict[str, str]]:
    """The frames of a variant that differ from the picture's own."""
    if not picture:
        return {}
    pairs = enumerate(zip(picture.frames, picture.variants[key], strict=True))
    return {at: {"svg": new.svg, "caption": caption_as_html(new.caption)} for at, (old, new) in pairs if new != old}


def title(value) -> str:
    """The title of a bound value's link, by which the script finds it."""
    return f"{value.expression} in {value.snippet}.pycon"
