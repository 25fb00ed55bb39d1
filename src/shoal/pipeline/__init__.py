"""Making a release: the stages, what they leave behind, and where they meet (`run`)."""
