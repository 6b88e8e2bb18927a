"""The orchestration: systems are counted, metrics applied, and scores put together."""
