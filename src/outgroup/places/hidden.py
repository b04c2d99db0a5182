"""Files that systems and programs put among a person's own."""

_OF_WINDOWS = {"thumbs.db", "desktop.ini"}


def is_hidden(name: str) -> bool:
    """Return whether a file or folder of that name is nobody's document: hidden, or the mark of one that is open.

    >>> is_hidden(".git"), is_hidden("~$letter.docx"), is_hidden("Thumbs.db"), is_hidden("letter.docx")
    (True, True, True, False)
    """
    return name.startswith((".", "~$")) or name.lower() in _OF_WINDOWS
