"""Mouse and keys of an X server, as hardware sends them; the window manager has its say."""

import ctypes

from PySide6.QtCore import QPoint

_KEYSYMS = {
    **{"Ctrl": "Control_L", "Shift": "Shift_L", "Alt": "Alt_L", "Esc": "Escape", "PgUp": "Prior", "PgDown": "Next"},
    **{"Del": "Delete", "Backspace": "BackSpace", "Space": "space", " ": "space", "[": "bracketleft", "-": "minus"},
    **{"]": "bracketright", ",": "comma", ".": "period", "/": "slash", "=": "equal", ":": "colon", "+": "plus"},
}
_SHIFTED = frozenset(":+")


class ScreenInput:
    """Moves the mouse and presses keys at the X server."""

    def __init__(self) -> None:
        self._x11, self._xtest = ctypes.CDLL("libX11.so.6"), ctypes.CDLL("libXtst.so.6")
        self._x11.XOpenDisplay.restype = ctypes.c_void_p
        self._x11.XStringToKeysym.restype = ctypes.c_ulong
        self._display = ctypes.c_void_p(self._x11.XOpenDisplay(None))

    def click(self, place: QPoint, button: int = 1) -> None:
        """Move to a point of the screen and press a button of the mouse; 4 and 5 are the wheel."""
        self._move(place)
        self._send("XTestFakeButtonEvent", button, 1)
        self._send("XTestFakeButtonEvent", button, 0)

    def drag(self, start: QPoint, end: QPoint) -> None:
        """Drag with the left button."""
        self._move(start)
        self._send("XTestFakeButtonEvent", 1, 1)
        for part in range(1, 5):
            self._move(start + (end - start) * part / 4)
        self._send("XTestFakeButtonEvent", 1, 0)

    def press(self, keys: str) -> None:
        """Press keys together, such as `Ctrl+Shift+O`."""
        *held, last = ["+"] if keys == "+" else keys.replace("++", "+plus").split("+")
        codes = [self._code(key) for key in (*held, *(["Shift"] if last in _SHIFTED else []), last)]
        for code in codes:
            self._send("XTestFakeKeyEvent", code, 1)
        for code in reversed(codes):
            self._send("XTestFakeKeyEvent", code, 0)

    def type_text(self, text: str) -> None:
        """Type letter by letter."""
        for letter in text:
            self.press(letter)

    def _move(self, place: QPoint) -> None:
        self._xtest.XTestFakeMotionEvent(self._display, -1, place.x(), place.y(), 0)
        self._x11.XFlush(self._display)

    def _send(self, what: str, number: int, down: int) -> None:
        getattr(self._xtest, what)(self._display, number, down, 0)
        self._x11.XFlush(self._display)

    def _code(self, key: str) -> int:
        name = _KEYSYMS.get(key, key.lower() if len(key) == 1 else key)
        keysym = ctypes.c_ulong(self._x11.XStringToKeysym(name.encode()))
        return int(self._x11.XKeysymToKeycode(self._display, keysym))
