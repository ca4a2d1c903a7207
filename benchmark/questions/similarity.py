"""How alike texts are, by the parts of words that they share."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]


class Similarity:
    """Cosines of TF-IDF over groups of 3 and 4 letters, which needs no words of a language."""

    def __init__(self, texts: Sequence[str]) -> None:
        """Learn the weights from texts; both here and later, a text of no letters is like no other."""
        from sklearn.feature_extraction.text import TfidfVectorizer

        self._vectorizer = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 4), sublinear_tf=True, dtype=np.float32)
        self._known = any(one.strip() for one in texts)
        if self._known:
            self._vectorizer.fit(texts)

    def vectors(self, texts: Sequence[str]) -> Any:
        """Return the texts as rows of a sparse matrix, each of length 1 or 0."""
        from scipy.sparse import csr_matrix

        if not self._known or not texts:
            return csr_matrix((len(texts), 1), dtype=np.float32)
        return self._vectorizer.transform(texts)

    @staticmethod
    def between(one: Any, others: Any) -> Floats:
        """Return (rows of `one`, rows of `others`) cosines from 0 to 1."""
        found: Floats = np.asarray((one @ others.T).todense(), np.float32)
        return found
