"""The tables of a study file by subject, as literal SQL, for `project.schema`; never changed once released."""
