"""What keeps an installation healthy: periodic jobs, and the signs of life of its worker."""
