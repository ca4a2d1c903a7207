"""What the site adds to the pages when it is built: reference made from the code, and pages of the project's root."""
