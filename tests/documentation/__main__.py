"""Writes anew what the pages show of the code: `make pages`."""

import contextlib
import json
import tempfile

from tests.documentation import generated, measured, option_types, picture, screenshot
from tests.documentation.running import with_outputs


def main() -> None:
    """Types of options, figures, pictures, blocks and outputs."""
    option_types.FILE.write_text(option_types.text(), encoding="utf-8")
    measured.FILE.write_text(json.dumps(measured.measured_now(), indent=1) + "\n", encoding="utf-8")
    for page in generated.class_pages():
        page.with_suffix(".svg").write_text(picture.svg(page.stem), encoding="utf-8")
    for page in generated.pages():
        page.write_text(generated.rewritten(page), encoding="utf-8")
    for page in generated.running_pages():
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            text = with_outputs(page.read_text(encoding="utf-8"), page.name)
        page.write_text(text, encoding="utf-8")
    screenshot.take()


main()
