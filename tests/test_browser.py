"""What only a browser can tell: pages can be read, pictures step, answers unfold, and code can be copied."""

import functools
import http.server
import shutil
import threading

import pytest
from book.drawing import pictures
from book.problem import ROOT
from playwright.sync_api import sync_playwright
from sharing import BOOK
from test_closed_world import WARNING, in_fresh_processes, run_as_script

pytestmark = pytest.mark.slow

BUILT = ROOT / "_build" / "html"
NAMES = [page.path.stem for page in BOOK.pages]
THEMES = ["light", "dark"]
# Each text of each picture: its words, box, size on the screen, colour, and the colour of the shape behind it.
READ = """() => [...document.querySelectorAll(".picture svg")].map(svg => {
  const frame = svg.getBoundingClientRect(), scale = frame.width / svg.viewBox.baseVal.width;
  const shapes = [...svg.querySelectorAll("rect, circle, path.tag")].map(
    shape => [shape.getBoundingClientRect(), getComputedStyle(shape).fill]);
  const texts = [...svg.querySelectorAll("text")].map(text => {
    const box = text.getBoundingClientRect(), x = box.x + box.width / 2, y = box.y + box.height / 2;
    const behind = shapes.filter(([shape, fill]) =>
      fill !== "none" && shape.left <= x && x <= shape.right && shape.top <= y && y <= shape.bottom);
    return {words: text.textContent, left: box.left, top: box.top, right: box.right, bottom: box.bottom,
      colour: getComputedStyle(text).fill, size: parseFloat(getComputedStyle(text).fontSize) * scale,
      behind: behind.length ? behind.at(-1)[1] : getComputedStyle(document.body).backgroundColor};
  });
  return {left: frame.left - 1, top: frame.top - 1, right: frame.right + 1, bottom: frame.bottom + 1, texts};
})"""
OPEN_ALL = """() => {
  document.querySelectorAll("details").forEach(details => details.open = true);
  document.querySelectorAll(".stepper").forEach(stepper => stepper.classList.remove("live"));
}"""


@pytest.fixture(scope="module")
def address():
    """Where the built book is served, so that pages have an origin, as on the web."""
    handler = functools.partial(QuietHandler, directory=BUILT)
    with http.server.ThreadingHTTPServer(("localhost", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://localhost:{server.server_port}"
        server.shutdown()


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def browser():
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    assert found, "These tests need Chromium. On Debian: apt-get install chromium"
    arguments = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=arguments)
        yield browser
        browser.close()


@pytest.fixture
def visit(browser, address):
    """Opens a page of the book in a context of its own; what went wrong on it is in page.faults."""
    contexts = []

    def visit(name, width=390, theme="light", **options):
        size = {"width": width, "height": 900}
        contexts.append(browser.new_context(viewport=size, color_scheme=theme, **options))
        page = contexts[-1].new_page()
        page.faults = []
        page.on("console", lambda message: message.type == "error" and page.faults.append(message.text))
        page.on("pageerror", lambda error: page.faults.append(str(error)))
        page.on(
            "request", lambda request: request.url.startswith((address, "data:")) or page.faults.append(request.url)
        )
        page.goto(f"{address}/{name}.html")
        return page

    yield visit
    for context in contexts:
        context.close()


def contrast(one: str, other: str) -> float:
    """The contrast of two colours, "rgb(1, 2, 3)", as WCAG defines it."""
    dark, bright = sorted(map(_luminance, (one, other)))
    return (bright + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    parts = [int(part) / 255 for part in colour.removeprefix("rgb(").removesuffix(")").split(",")]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def pages_with(kind: str) -> list[str]:
    """The pages that have a picture of one frame or more (kind "picture"), or of several (kind "stepper")."""
    least = {"picture": 1, "stepper": 2}[kind]
    asks = [ask for page in BOOK.pages for ask in page.asks if ask.kind == "picture"]
    drawn = {
        ask.page.stem: pictures.load(ask.snippet) for ask in asks if len(pictures.load(ask.snippet).frames) >= least
    }
    return sorted(drawn)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("name", pages_with("picture"))
def test_every_word_of_every_picture_can_be_read(visit, name, width, theme):
    page = visit(name, width, theme)
    page.evaluate(OPEN_ALL)
    drawn = page.evaluate(READ)
    assert drawn and all(picture["texts"] for picture in drawn)
    for picture in drawn:
        for index, text in enumerate(picture["texts"]):
            words = text["words"]
            assert text["size"] >= 11, words
            assert contrast(text["colour"], text["behind"]) >= 4.5, (words, text["colour"], text["behind"])
            assert picture["left"] <= text["left"] and text["right"] <= picture["right"], words
            assert picture["top"] <= text["top"] and text["bottom"] <= picture["bottom"], words
            for other in picture["texts"][:index]:
                aside = text["left"] >= other["right"] or other["left"] >= text["right"]
                below = text["top"] + 3 >= other["bottom"] or other["top"] + 3 >= text["bottom"]
                assert aside or below, f"{words} stands over {other['words']}"


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("name", NAMES)
def test_the_page_loads_whole_and_fits_the_screen(visit, name, width):
    page = visit(name, width)
    page.wait_for_load_state("networkidle")
    assert not page.faults
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("name", pages_with("stepper"))
def test_a_stepper_is_driven_by_the_keyboard(visit, name):
    page = visit(name)
    page.evaluate("document.querySelectorAll('details').forEach(details => details.open = true)")
    page.evaluate("document.addEventListener('keydown', event => { window.reached = event.key })")
    for stepper in page.locator(".stepper").all():
        frames, position = stepper.locator("figure"), stepper.locator(".steps span")
        count, height = frames.count(), stepper.bounding_box()["height"]

        def seen(frames=frames, count=count):
            return [index for index in range(count) if frames.nth(index).is_visible()]

        assert seen() == [0] and position.inner_text() == f"1 of {count}"
        stepper.get_by_role("button", name="Next").focus()
        page.keyboard.press("Enter")
        caption = frames.nth(1).locator("figcaption").inner_text()
        assert seen() == [1] and stepper.locator("[aria-live]").inner_text() == f"2 of {count}: {caption}"
        page.keyboard.press("ArrowLeft")
        assert seen() == [0]
        assert stepper.get_by_role("button", name="Previous").get_attribute("aria-disabled") == "true"
        for _ in range(count + 1):
            page.keyboard.press("ArrowRight")
        assert seen() == [count - 1] and position.inner_text() == f"{count} of {count}"
        assert stepper.bounding_box()["height"] == height, "the page must not jump"
    assert page.evaluate("window.reached") == "Enter", (
        "the arrow keys must not reach the theme, which turns pages with them"
    )


@pytest.mark.parametrize("name", pages_with("stepper"))
def test_without_scripts_all_frames_and_outputs_can_be_read(visit, name):
    page = visit(name, java_script_enabled=False)
    assert not page.locator(".steps button").count()
    for block in page.locator(".snippet:has(details.predict)").all():
        if block.locator("details.predict").is_visible():  # not within a closed answer
            assert not block.locator("samp").first.is_visible()
            block.locator("summary").click()
            assert all(output.is_visible() for output in block.locator("samp:not([hidden])").all())
    assert all(figure.is_visible() for figure in page.locator(".stepper figure").all())


@pytest.mark.parametrize("name", pages_with("stepper"))
def test_on_paper_everything_is_open(visit, name):
    page = visit(name)
    page.emulate_media(media="print")
    assert all(figure.is_visible() for figure in page.locator(".stepper figure").all())
    assert not any(button.is_visible() for button in page.locator(".steps button").all())
    assert all(output.is_visible() for output in page.locator(".snippet:has(details.predict) samp:not([hidden])").all())


def test_reduced_motion_is_respected(visit):
    moving = "getComputedStyle(document.querySelector('.stepper figure')).transitionDuration"
    [name, *_] = pages_with("stepper")
    assert visit(name).evaluate(moving) == "0.2s"
    assert visit(name, reduced_motion="reduce").evaluate(moving) == "0s"


@pytest.mark.parametrize("name", [page.path.stem for page in BOOK.pages if page.asks])
def test_the_copy_button_copies_the_code_alone(visit, name):
    page = visit(name, permissions=["clipboard-read", "clipboard-write"])
    page.evaluate("document.querySelectorAll('details').forEach(details => details.open = true)")
    for block in page.locator("div.snippet:not(.meters)").all():
        block.locator("button.copybtn").click()
        copied = page.evaluate("navigator.clipboard.readText()").strip()
        file = block.locator(".snippet-file").inner_text()
        lines = (ROOT / file).read_text("utf-8").splitlines()
        code = [line[4:] for line in lines if line.startswith((">>> ", "...")) or not line]
        assert copied == "\n".join(code).strip(), file


TRIED = sorted({BOOK.homes[name].stem for name in BOOK.choices})


@pytest.mark.parametrize("name", TRIED)
def test_each_number_can_be_changed_and_shows_what_a_run_of_the_copied_code_prints(visit, name):
    page = visit(name, permissions=["clipboard-read", "clipboard-write"])
    page.evaluate("document.querySelectorAll('details').forEach(details => details.open = true)")
    codes, shown, files = [], [], {}
    for block in page.locator(".snippet:has(script.tried)").all():
        outputs = block.locator("pre samp")
        files[block] = outputs.all_inner_texts()
        for select in block.locator(".try select").all():
            for value in select.evaluate("select => [...select.options].map(option => option.value)"):
                select.select_option(value)
                block.locator("button.copybtn").click()
                codes.append(page.evaluate("navigator.clipboard.readText()"))
                assert value in codes[-1]
                visible = [output.inner_text() for output in outputs.all() if output.is_visible()]
                shown.append("\n".join(text.rstrip("\n") for text in visible))
            select.select_option(index=0)
            assert outputs.all_inner_texts() == files[block], "back at the file's number, all is as in the file"
    for code, seen, (printed, error) in zip(codes, shown, in_fresh_processes(run_as_script, codes), strict=True):
        found = WARNING.sub("", seen + "\n").strip()
        expected = (printed + (f"Traceback (most recent call last):\n{error}" if error else "")).strip()
        assert found.split() == expected.split(), code
    assert len(codes) == sum(
        len(choice.values) + 1
        for one, found in BOOK.choices.items()
        if BOOK.homes[one].stem == name
        for choice in found
    )


def test_a_number_is_changed_by_keyboard_and_told(visit):
    page = visit("one-pass")
    block = page.locator(".snippet:has(script.tried)").first
    select = block.locator(".try select").first
    before = page.locator("figure[data-picture='picture-one-pass-chain']").first.inner_html()
    select.focus()
    page.keyboard.press("ArrowDown")
    assert "is from a run with it" in block.locator("[role=status]").inner_text()
    assert page.locator("figure[data-picture='picture-one-pass-chain']").first.inner_html() != before
    block.get_by_role("button", name="Back to").click()
    assert page.locator("figure[data-picture='picture-one-pass-chain']").first.inner_html() == before
    assert page.evaluate("document.activeElement.tagName") == "SELECT"


def test_a_number_changed_under_a_fold_keeps_it_shut(visit):
    page = visit("one-pass")
    block = page.locator(".snippet:has(script.tried):has(details.predict)").first
    block.locator(".try select").first.select_option(index=1)
    assert not block.locator("samp").first.is_visible()
    assert "guess again" in block.locator("[role=status]").inner_text()


@pytest.mark.parametrize("name", TRIED)
def test_without_scripts_and_on_paper_the_file_stands_as_it_is(visit, name):
    page = visit(name, java_script_enabled=False)
    assert page.locator(".try").count() and not page.locator(".try select, .tried-note").count()
    page = visit(name)
    page.emulate_media(media="print")
    assert not any(select.is_visible() for select in page.locator(".try select").all())
