"""What people say beside judges: hidden until they said it, revised, taken over, disagreed with."""
