"""Write the kept texts anew."""

from __future__ import annotations

from tests.ierusalem.texts import POSITIONS, file_of, text_of

for name in POSITIONS:
    file_of(name).write_text(text_of(name), encoding="utf-8")
