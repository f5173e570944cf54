"""The curves as files: PNG at twice the size, SVG whose text is text, CSV of every point."""

from __future__ import annotations

import io
from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QRectF, QSaveFile
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QGraphicsView

from core.errors import ExportError
from core.series import SeriesStore
from core.series_csv import write_csv

_SCALE = 2


def image_of(view: QGraphicsView, background: str) -> QImage:
    size = view.size()
    image = QImage(size * _SCALE, QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(_SCALE)
    image.fill(QColor(background))
    painter = QPainter(image)
    view.render(painter, QRectF(view.rect()), view.rect())
    painter.end()
    return image


def png_of(image: QImage) -> bytes:
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload]  # the stub wants bytes for the format
    return bytes(data.data())


def svg_of(view: QGraphicsView, title: str) -> bytes:
    """pyqtgraph's own SVG exporter breaks on newer Qt, and turns nothing into text."""
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setSize(view.size())
    generator.setViewBox(view.rect())
    generator.setTitle(title)
    painter = QPainter(generator)
    view.render(painter, QRectF(view.rect()), view.rect())
    painter.end()
    return bytes(data.data())


def csv_of(store: SeriesStore) -> bytes:
    text = io.StringIO(newline="")
    write_csv(store, text)
    return text.getvalue().encode("utf-8")


def write_file(path: Path, data: bytes) -> None:
    """All or nothing. Raises ExportError with a sentence for the user."""
    file = QSaveFile(str(path))
    written = file.open(QIODevice.OpenModeFlag.WriteOnly) and file.write(data) == len(data)
    if not written or not file.commit():
        reason = file.errorString()
        raise ExportError(f"{path} could not be written ({reason}). Choose another folder.")
