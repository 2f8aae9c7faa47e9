"""What it takes to run the suite: images, manifests, monitoring."""
