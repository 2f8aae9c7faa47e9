"""A compose file against its model; run by the tools' own Python: python form.py FILE (in JSON)."""

import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

KNOWN_EXTENSION = "x-"
compose_spec: Any = import_module("compose_spec")  # not in the project's own environment

given = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
model = compose_spec.ComposeSpecification.model_validate(given)
kept = model.model_dump(by_alias=True, mode="json", exclude_none=True)
fields = {
    f"services.{name}.{field}"
    for name, service in given["services"].items()
    for field in service
    if field not in kept["services"][name]
}
fields |= {field for field in given if field not in kept and not field.startswith(KNOWN_EXTENSION)}
fields |= {f"services.{name} has no image" for name, service in given["services"].items() if "image" not in service}
sys.stderr.write("\n".join(sorted(fields)))
sys.exit(bool(fields))
