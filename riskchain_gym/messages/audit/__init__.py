"""The audit of a folder of messages: what must hold before anybody trains or is ranked on it."""
