"""The window about agreement and statistics: what is compared, computed apart, shown and taken along."""
