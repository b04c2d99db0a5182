"""What files keep of versions, by ids and without texts."""
