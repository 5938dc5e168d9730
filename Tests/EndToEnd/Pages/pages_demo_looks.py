"""How the demo looks and reads."""
