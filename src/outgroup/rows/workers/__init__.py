"""What runs on the workers of a cluster, and where they keep what they made."""
