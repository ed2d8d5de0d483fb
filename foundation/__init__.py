"""What every app stands on and no app owns: strict JSON in, clear errors out, identifiers, cursors.

The modules here are pure (no Django); `foundation.http` holds what needs Django and DRF.
"""
