"""Collections larger than memory: text to shards, folds over them, and a result in parts."""
