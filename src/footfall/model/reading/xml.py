"""XML with bounds: elements that know their line, and the numbers and words of their attributes.

Entities and document types are refused, so nothing is expanded or fetched. Text that is too long, too deep or has too many
elements is refused while it is read.
"""

import math
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from xml.parsers import expat

from footfall.errors import FileError, UnknownNameError

MOST_BYTES = 8_000_000
MOST_ELEMENTS = 100_000
MOST_DEPTH = 600  # elements within elements; a chain of links in MJCF has as many
MOST_ATTRIBUTES = 100  # of an element
MOST_NUMBERS = 500_000  # of an attribute, such as the vertices of a mesh
LARGEST = 1e12  # of a number; UNBOUNDED are larger
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)


class Node:
    """An element: its tag, attributes, text and children, and where it is."""

    __slots__ = ("attrib", "children", "line", "source", "tag", "text")

    def __init__(self, tag: str, attrib: dict[str, str], source: str, line: int):
        self.tag, self.attrib, self.source, self.line = tag, attrib, source, line
        self.children: list[Node] = []
        self.text = ""

    def __str__(self) -> str:
        name = f" name={self.attrib['name']!r:.60}" if "name" in self.attrib else ""
        return f"{self.source}, line {self.line}, <{self.tag:.40}{name}>"

    def error(self, what: str) -> FileError:
        """An error that says where it is."""
        return FileError(f"{self}: {what}")

    # --- children ---------------------------------------------------------------------------------------------------------

    def all(self, *tags: str) -> "Iterator[Node]":
        """Children with one of these tags."""
        return (child for child in self.children if child.tag in tags)

    def find(self, tag: str) -> "Node | None":
        """The first child with that tag."""
        return next(self.all(tag), None)

    def need(self, tag: str) -> "Node":
        """The first child with that tag, which must be there."""
        found = self.find(tag)
        if found is None:
            raise self.error(f"needs a <{tag}>")
        return found

    def every(self) -> "Iterator[Node]":
        """This element and all below it, in the order of the file."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting += node.children[::-1]

    # --- attributes -------------------------------------------------------------------------------------------------------

    def get(self, key: str, default: str = "") -> str:
        return self.attrib.get(key, default)

    def word(self, key: str) -> str:
        """An attribute that must be there."""
        if not self.attrib.get(key, "").strip():
            raise self.error(f"needs {key}=")
        return self.attrib[key]

    def choice(self, key: str, options: Mapping[str, Any], default: str) -> Any:
        """What a word of a known few stands for."""
        word = self.get(key, default).strip()
        if word not in options:
            raise UnknownNameError(f"{key} (in {self})", word, options)
        return options[word]

    def number(self, key: str, default: float | None = None, *, low: float = -math.inf, infinite: bool = False) -> float:
        """One number; without a default it must be there."""
        if key not in self.attrib and default is not None:
            return default
        (value,) = self.numbers(key, 1, infinite=infinite)
        if value < low:
            raise self.error(f"{key} must be at least {low:g}, got {value:g}")
        return value

    def numbers(
        self, key: str, count: int | tuple[int, int], default: tuple[float, ...] | None = None, *, infinite: bool = False
    ) -> tuple[float, ...]:
        """A row of so many numbers (or from so many to so many); without a default it must be there."""
        if key not in self.attrib:
            if default is None:
                raise self.error(f"needs {key}=")
            return default
        least, most = (count, count) if isinstance(count, int) else count
        words = self.attrib[key].split(None, most)
        found = tuple(self._value(word, key, infinite) for word in words[:most])
        if not least <= len(words) <= most:
            wanted = f"{least}" if least == most else f"{least} to {most}"
            raise self.error(f"{key} must be {wanted} number{'s' * (most > 1)}, got {self.attrib[key][:100]!r:.80}")
        return found

    def row(self, text: str, key: str, infinite: bool = False) -> tuple[float, ...]:
        """The numbers that a text has, with blanks between."""
        words = text.split(None, MOST_NUMBERS)
        if len(words) > MOST_NUMBERS:
            raise self.error(f"{key} must be at most {MOST_NUMBERS:,} numbers")
        return tuple(self._value(word, key, infinite) for word in words)

    def _value(self, word: str, key: str, infinite: bool) -> float:
        if len(word) <= 400 and NUMBER.fullmatch(word):
            value = float(word)
            if abs(value) <= LARGEST or infinite:
                return value
            raise self.error(f"{key} must be at most {LARGEST:g} in size, got {word!r:.60}")
        word = word[:400]
        if infinite and word.lstrip("+-").lower() in ("inf", "infinity"):
            return float(word)
        raise self.error(f"{key} must be made of finite numbers, got {word!r:.60}")


def parse(text: str, source: str, most_bytes: int = MOST_BYTES, convert: Callable[[str], str] = str) -> Node:
    """The root element of a text; `source` is how messages call it, `convert` changes tags."""
    if len(text) > most_bytes:
        raise FileError(f"{source} has more than {most_bytes:,} characters, too many for a robot")
    return _Builder(source, convert).root(text)


class _Builder:
    """Follows expat from element to element."""

    def __init__(self, source: str, convert: Callable[[str], str]):
        self.source, self.convert = source, convert
        self.parser = expat.ParserCreate("utf-8")
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.characters
        self.parser.StartDoctypeDeclHandler = self.refuse
        self.parser.EntityDeclHandler = self.refuse
        self.parser.ExternalEntityRefHandler = self.refuse
        self.stack: list[Node] = []
        self.texts: list[list[str]] = []  # of the elements on the stack
        self.found: Node | None = None
        self.count = 0

    def root(self, text: str) -> Node:
        try:
            self.parser.Parse(text.lstrip("\ufeff").encode("utf-8", "surrogatepass"), True)
        except expat.ExpatError as error:
            what = expat.errors.messages.get(error.code, str(error))
            raise FileError(f"{self.source}, line {error.lineno}: not valid XML, {what}") from None
        if self.found is None:
            raise FileError(f"{self.source} has no XML element")
        return self.found

    def refuse(self, *_: Any) -> Any:
        line = self.parser.CurrentLineNumber
        raise FileError(f"{self.source}, line {line}: document types and entities are refused; write out what they stand for")

    def start(self, tag: str, attrib: dict[str, str]) -> None:
        line = self.parser.CurrentLineNumber
        self.count += 1
        if self.count > MOST_ELEMENTS or len(self.stack) >= MOST_DEPTH or len(attrib) > MOST_ATTRIBUTES:
            raise FileError(
                f"{self.source}, line {line}: too large for a robot; at most {MOST_ELEMENTS:,} elements, {MOST_DEPTH} within "
                f"each other, and {MOST_ATTRIBUTES} attributes of one are read"
            )
        node = Node(self.convert(tag), attrib, self.source, line)
        if self.stack:
            self.stack[-1].children.append(node)
        else:
            self.found = node
        self.stack.append(node)
        self.texts.append([])

    def end(self, _: str) -> None:
        self.stack.pop().text = "".join(self.texts.pop())

    def characters(self, text: str) -> None:
        self.texts[-1].append(text)
