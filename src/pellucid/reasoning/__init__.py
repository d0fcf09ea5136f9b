"""What can be known of a program without running it: facts, effects, proofs and cost."""
