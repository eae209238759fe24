"""The recipe: render pictures of dice with their truth, train the nets, export and measure them."""
