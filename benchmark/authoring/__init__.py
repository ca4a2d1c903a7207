"""Questions: made from chains, hardened, verified by people, measured, exported."""
