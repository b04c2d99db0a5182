"""Figures in sentences, the same on page and terminal."""
