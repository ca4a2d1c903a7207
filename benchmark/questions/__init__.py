"""Questions with options: rules that make them, how alike texts are, and figures about them."""
