"""Runs jobs on a lab's own Dask cluster. The process that has the study open submits them and stores their results."""
