"""What a person should look at next, and which document looks most like junk."""
