"""How sure a number is: intervals from counts, and draws of counts; they never see examples."""
