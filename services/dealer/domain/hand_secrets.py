"""What of a hand must not lie in clear anywhere."""

from dataclasses import dataclass

from services.dealer.domain.script import Script


@dataclass(frozen=True, slots=True, kw_only=True)
class HandSecrets:
    """The seed, and cards chosen beforehand."""

    seed: bytes
    script: Script | None = None
