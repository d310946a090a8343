"""The leaderboard: one model of the board, built once from frozen runs, and writers that only format it."""
