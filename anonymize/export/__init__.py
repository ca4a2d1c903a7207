"""Exports recordings and clips with their faces hidden: previews, jobs, and the queue of clips."""
