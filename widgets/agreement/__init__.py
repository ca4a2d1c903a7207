"""Tables and controls of the window about agreement."""
