"""Results and models on disk: plain state without pickle, exchanged as a whole."""
