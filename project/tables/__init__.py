"""The tables of a study file by subject, as literal SQL, for `project.schema`; never changed once released.

No CHECK asks whether JSON is valid: SQLite before 3.41 refuses the function in a schema that is not trusted.
"""
