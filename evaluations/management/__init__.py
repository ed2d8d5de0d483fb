"""The command line about what a project keeps."""
