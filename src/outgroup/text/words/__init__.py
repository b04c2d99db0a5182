"""From texts to weighted words: taken out, stemmed, counted, chosen, weighted."""
