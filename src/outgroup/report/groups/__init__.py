"""What a report tells of groups: their documents together, their tree, their agreement with true labels."""
