"""The Spark engine: tables on a cluster, through the DataFrame API and Arrow alone."""
