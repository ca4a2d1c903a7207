"""De-identification: masks faces and voices, finds personal information, and releases or withdraws data."""
