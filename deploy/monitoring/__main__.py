"""``python -m deploy.monitoring``: write the pages and files that come out of the code."""

import sys

from deploy.monitoring.written import written

for path, text in written().items():
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    sys.stdout.write(f"written: {path.name}\n")
