"""The web app behind ``shoal serve``: local, private, and repeatable on the command line."""
