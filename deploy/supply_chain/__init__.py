"""What the suite is built from, looked at: locks, bill of materials, weak spots, secrets in files, known faults."""
