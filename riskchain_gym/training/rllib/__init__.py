"""RLlib on its new API stack: settings, module, runs that resume, evaluation."""
