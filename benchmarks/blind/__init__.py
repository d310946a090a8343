"""The parts of ``blind_reading.py``: walking a site, writing it down, drawing sites and comparing answers."""
