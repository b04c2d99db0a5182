"""What each command can be told: a frozen dataclass a command, filled by options or by a TOML file alike."""
