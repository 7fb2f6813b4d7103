"""A text as the content of XML, so of SVG and GraphML too. Knows no element."""

from __future__ import annotations

import re
from xml.sax.saxutils import escape

NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def xml_text(text: str) -> str:
    """The text as an element's content or a quoted attribute; U+FFFD for what XML cannot hold."""
    clean = NOT_XML.sub("\ufffd", text)
    return escape(clean, {"\r": "&#13;", '"': "&quot;"})  # a bare \r would be read back as \n
