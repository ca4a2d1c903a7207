"""Privacy and utility of exports: measurement, limits, and the exported files."""
