"""Plans and runs benchmarks: runs are resumable, and nothing is lost or asked twice."""
