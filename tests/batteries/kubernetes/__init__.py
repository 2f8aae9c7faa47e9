"""The manifests, checked offline: schemas, policies, and every reference followed."""
