"""Works that are done on a lab's own cluster: given out, answered and stored by the process that holds the study."""
