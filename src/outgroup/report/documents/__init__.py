"""What a report tells of single documents: place, words, neighbours, verdict."""
