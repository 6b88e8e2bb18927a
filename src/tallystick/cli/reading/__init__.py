"""What the command line names as inputs."""
