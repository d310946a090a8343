"""``python -m riskchain_gym`` is the ``riskchain`` command."""

from riskchain_gym.cli import main

if __name__ == "__main__":
    main()
