"""How the product is put together and started: settings, addresses, processes."""
