"""Rankings: leaderboards, teams, tracks, and overall orders."""
