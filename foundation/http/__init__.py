"""What needs Django and DRF and no app owns: the API's shape, error pages, columns, template tags."""
