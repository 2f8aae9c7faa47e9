"""The wire side of betting: messages in and out, nothing else."""
