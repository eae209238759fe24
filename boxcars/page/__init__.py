"""The page: what the table looks at, served on this computer. `docs/api.md` says what it speaks."""
