"""What a person says of a collection: labelled documents and words, examples of junk, and how they meet the rows."""
