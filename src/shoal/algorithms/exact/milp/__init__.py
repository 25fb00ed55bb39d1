"""`milp`: the mixed integer program of the paper, solved by HiGHS."""
