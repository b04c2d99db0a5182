"""Aliases for the former paths of moved modules."""

from __future__ import annotations

import sys

from ..readers import corpus, documents

sys.modules["outgroup.text.reading.corpus"] = corpus
sys.modules["outgroup.text.reading.strip"] = documents
