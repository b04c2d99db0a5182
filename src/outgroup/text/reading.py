"""Earlier addresses of modules that lie elsewhere now."""

from __future__ import annotations

import sys

from ..readers import corpus, documents

sys.modules["outgroup.text.reading.corpus"] = corpus
sys.modules["outgroup.text.reading.strip"] = documents
