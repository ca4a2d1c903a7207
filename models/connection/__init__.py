"""The only code that opens a connection: a guard that every backend, every download and every worker has to use.

A request states its purpose (`for_purpose`). The guard reads it, an authority permits and journals it, and the
transport connects only to the address that was resolved and permitted.
"""
