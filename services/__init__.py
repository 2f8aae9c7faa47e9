"""The five services of the suite and its console; a service never imports another, they talk through the contract."""
