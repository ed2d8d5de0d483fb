"""The one door to the network, and what is called through it: tools and model providers.

No other module imports an HTTP client, and nothing in here knows of tables or settings.
"""
