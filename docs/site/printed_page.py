"""Pages of the documentation that are printed as well: each becomes a PDF of A4 sheets beside its page in the site."""

import os
import re

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QMarginsF, QSizeF
from PySide6.QtGui import QFont, QFontDatabase, QGuiApplication, QPageSize, QPdfWriter, QTextDocument

from app.docs_browser.docs_pages import DocsTheme, find_page, page_html, style_sheet
from resources import resource

MOST_SIDES = {"ethics-board.md": 2}
"""Page that is printed -> how many sides it may have."""
_THEME = DocsTheme(10.0, "#1a1a1a", "#555555", "#1a1a1a", "#b0b0b0", "#f0f0f0", "#1a1a1a")
_DOTS_PER_INCH = 300
_MARGIN_PIXELS = 64
"""17 mm: a document counts lengths in 96ths of an inch, whatever it is printed on."""
_LINK = re.compile(r'<a href="[^"]*">')


def pdf_name(page: str) -> str:
    """Return what the PDF of a page is called in the site."""
    return page.removesuffix(".md") + ".pdf"


def print_page(name: str) -> tuple[bytes, int]:
    """Return a page as a PDF, and how many sides it has. Links become plain text."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    application = QGuiApplication.instance() or QGuiApplication([])
    assert isinstance(application, QGuiApplication)
    for file in ("Inter-Regular.otf", "Inter-SemiBold.otf"):
        QFontDatabase.addApplicationFont(str(resource("fonts", file)))
    content = QByteArray()
    buffer = QBuffer(content)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    page = find_page(name)
    writer.setTitle(page.title if page is not None else name)
    writer.setResolution(_DOTS_PER_INCH)
    writer.setPageSize(QPageSize(QPageSize.PageSizeId.A4))
    # The margins are the document's: a last line may reach a little into them, and would be cut by those of the sheet.
    writer.setPageMargins(QMarginsF())
    document = QTextDocument()
    document.documentLayout().setPaintDevice(writer)
    font = QFont("Inter")
    font.setPointSizeF(_THEME.points)
    document.setDefaultFont(font)
    document.setDefaultStyleSheet(style_sheet(_THEME))
    document.setHtml(_LINK.sub("<a>", page_html(name, _THEME)))
    document.setPageSize(QSizeF(writer.width(), writer.height()))
    root = document.rootFrame()
    layout = root.frameFormat()
    layout.setMargin(_MARGIN_PIXELS)
    root.setFrameFormat(layout)
    document.print_(writer)
    buffer.close()
    return bytes(content.data()), document.pageCount()
