"""Secrets at rest, and changing the keys that they are encrypted with."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from hypothesis import given
from hypothesis import strategies as st
from pytest_django import Settings

from accounts.models import AuditEntry, Project
from evaluations.encryption import SecretsUnconfigured, SecretUnreadable, decrypt, encrypt, reencrypted
from evaluations.models import AiProvider, ProjectSecret
from tests.evaluations.cases import provider_of

NEW, OLD = "the new key", "the old key"


@given(st.text())
def test_what_goes_in_comes_out(secret: str) -> None:
    stored = encrypt(secret)
    assert decrypt(stored) == secret
    assert (stored == "") == (secret == "")
    assert decrypt(reencrypted(stored)) == secret


def test_the_same_secret_is_stored_differently_each_time() -> None:
    assert encrypt("a secret") != encrypt("a secret")


def test_without_a_key_nothing_is_stored(settings: Settings) -> None:
    settings.PLUMBLINE_SECRETS_KEYS = []
    assert encrypt("") == ""
    with pytest.raises(SecretsUnconfigured):
        encrypt("a secret")


def test_another_key_reads_nothing(settings: Settings) -> None:
    stored = encrypt("a secret")
    settings.PLUMBLINE_SECRETS_KEYS = [NEW]
    for read in (decrypt, reencrypted):
        with pytest.raises(SecretUnreadable):
            read(stored)


@pytest.fixture
def kept(project: Project, settings: Settings) -> tuple[AiProvider, ProjectSecret]:
    """A provider's key and a secret under the old key, and a provider without a key."""
    settings.PLUMBLINE_SECRETS_KEYS = [OLD]
    provider_of(project, name="without")
    provider = provider_of(project, api_key_encrypted=encrypt("the provider's"))
    return provider, ProjectSecret.objects.create(project=project, name="T", value_encrypted=encrypt("the tool's"))


@pytest.mark.django_db
def test_keys_are_changed(kept: tuple[AiProvider, ProjectSecret], settings: Settings) -> None:
    provider, secret = kept
    settings.PLUMBLINE_SECRETS_KEYS = [NEW, OLD]
    said = StringIO()
    call_command("rotate_secrets", stdout=said)
    assert said.getvalue() == "Encrypted 2 secrets with the first key.\n"
    settings.PLUMBLINE_SECRETS_KEYS = [NEW]
    provider.refresh_from_db()
    secret.refresh_from_db()
    assert (decrypt(provider.api_key_encrypted), decrypt(secret.value_encrypted)) == ("the provider's", "the tool's")
    assert AiProvider.objects.get(name="without").api_key_encrypted == ""
    entry = AuditEntry.objects.get(action="secrets.rotated")
    assert entry.changes == {"encrypted": 2, "unreadable": 0}


@pytest.mark.django_db
def test_what_no_key_reads_stays_and_is_told(kept: tuple[AiProvider, ProjectSecret], settings: Settings) -> None:
    settings.PLUMBLINE_SECRETS_KEYS = [NEW]
    kept[1].value_encrypted = encrypt("readable")
    kept[1].save()
    with pytest.raises(CommandError, match=r"^1 could not be read"):
        call_command("rotate_secrets", stdout=StringIO())
    assert AiProvider.objects.get(pk=kept[0].pk).api_key_encrypted == kept[0].api_key_encrypted
    assert decrypt(ProjectSecret.objects.get().value_encrypted) == "readable"


@pytest.mark.django_db
def test_without_keys_the_command_says_so(kept: tuple[AiProvider, ProjectSecret], settings: Settings) -> None:
    settings.PLUMBLINE_SECRETS_KEYS = []
    with pytest.raises(CommandError, match="PLUMBLINE_SECRETS_KEYS"):
        call_command("rotate_secrets", stdout=StringIO())
