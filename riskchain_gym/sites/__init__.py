"""Sites: the engine behind the sandbox sites."""
