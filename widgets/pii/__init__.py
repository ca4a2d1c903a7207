"""Views for deciding on personal information."""
