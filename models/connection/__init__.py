"""The only code that opens a connection: a guard that every backend, every download and every worker has to use.

A request says what it is for (`carrying`), is read by the guard, judged and written down by an authority, and goes to
an address that was looked up and permitted, or nowhere.
"""

from models.connection.guard import ApprovedContent, Authority, Guard, RequestPurpose, for_purpose

__all__ = ["ApprovedContent", "Authority", "Guard", "RequestPurpose", "for_purpose"]
