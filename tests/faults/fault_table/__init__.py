"""The fault table: every fault is a row of data, and a runner tries them all.

`rows` has the rows by group. A `Row` says what is damaged or wrong, which command or call is tried, and what must
happen: the right result, or one clear line with the right exit code. `bench` runs a row in a forked process with
limits, and `verdict` judges what happened.
"""
