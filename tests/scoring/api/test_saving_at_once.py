"""Two people, two threads: nobody's change is lost without their knowing."""

import json
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from django.db import connection, connections

from accounts.actors import Role
from accounts.models import User
from scoring.models import Evaluation, Profile, ProfileVersion
from tests.people import ClientFor, person
from tests.scoring.cases import BATCH, EVALUATE, PROFILES, contains, error_of, made, post, put


@pytest.fixture
def served_database(transactional_db: None, django_db_serialized_rollback: None, tmp_path: Path) -> Iterator[None]:
    """The database as a server has it: SQLite's is a file then, whose locks wait; in memory they do not."""
    main = connections["default"]
    if main.vendor != "sqlite":
        yield
        return
    main.ensure_connection()
    path, in_memory = tmp_path / "served.sqlite3", (main.connection, main.settings_dict["NAME"])
    with closing(sqlite3.connect(path)) as target:
        main.connection.backup(target)
    main.connection, main.settings_dict["NAME"] = None, str(path)
    yield
    main.close()
    main.connection, main.settings_dict["NAME"] = in_memory


@pytest.fixture
def people(db: None) -> list[User]:
    return [person(name, Role.OWNER) for name in ("ada", "bob")]


@pytest.mark.django_db
def test_the_second_of_two_people_sees_both_versions(people: list[User], client_for: ClientFor) -> None:
    ada, bob = (client_for(user) for user in people)
    profile = made(ada)
    address = f"{PROFILES}/{profile['id']}"
    tag = bob.get(address).headers["ETag"]
    theirs = put(ada, address, {"name": "Ada's"}, If_Match=tag).json()
    meta = error_of(put(bob, address, {"name": "Bob's"}, If_Match=tag), 412)["meta"]
    assert (meta["yourVersion"], meta["currentVersion"], meta["current"]) == (1, 2, theirs)
    assert put(bob, address, {"name": "Bob's"}, If_Match=f'"{meta["currentVersion"]}"').json()["version"] == 3
    listed = bob.get(address + "/versions").json()
    assert [version["createdBy"] for version in listed] == ["bob", "ada", "ada"]


def together(*calls: Callable[[], Any]) -> list[Any]:
    """What each call gave, each in a thread of its own and with a connection of its own."""
    results: list[Any] = [None] * len(calls)
    barrier = threading.Barrier(len(calls))

    def run(index: int) -> None:
        try:
            barrier.wait(10)
            results[index] = calls[index]()
        except Exception as error:  # noqa: BLE001 - told by the main thread
            results[index] = error
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=(index,)) for index in range(len(calls))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    for result in results:
        if isinstance(result, Exception):
            raise result
    return results


@pytest.mark.usefixtures("served_database")
def test_many_threads_save_the_same_profile(client_for: ClientFor) -> None:
    user = person("ada", Role.OWNER)
    profile = made(client_for(user))
    address = f"{PROFILES}/{profile['id']}"
    clients = [client_for(user) for _ in range(6)]

    def save(number: int) -> tuple[int, Any]:
        response = put(clients[number], address, {"description": str(number)}, If_Match='"1"')
        return response.status_code, json.loads(response.content)

    answers = together(*(lambda number=number: save(number) for number in range(6)))
    assert sorted(status for status, _ in answers) == [200, 412, 412, 412, 412, 412], answers
    winner = next(body for status, body in answers if status == 200)
    assert all(body["error"]["meta"]["current"] == winner for status, body in answers if status == 412)
    assert ProfileVersion.objects.filter(profile_id=profile["id"]).count() == 2

    def change(number: int) -> int:
        return int(put(clients[number], address, {"description": f"again {number}"}).status_code)

    assert together(*(lambda number=number: change(number) for number in range(6))) == [200] * 6
    numbers = (
        ProfileVersion.objects.filter(profile_id=profile["id"]).order_by("number").values_list("number", flat=True)
    )
    assert list(numbers) == [1, 2, 3, 4, 5, 6, 7, 8]
    assert Profile.objects.get(pk=profile["id"]).version == 8


@pytest.mark.usefixtures("served_database")
def test_evaluating_while_the_profile_changes_and_goes(client_for: ClientFor) -> None:
    user = person("ada", Role.OWNER)
    profile = made(client_for(user), contains())
    clients = [client_for(user) for _ in range(4)]
    body = {"profileId": profile["id"], "output": "x"}

    def evaluate(number: int) -> list[int]:
        return [post(clients[number], EVALUATE, body).status_code for _ in range(8)]

    def change() -> list[int]:
        return [
            put(clients[2], f"{PROFILES}/{profile['id']}", {"description": str(number)}).status_code
            for number in range(8)
        ]

    def batch() -> list[int]:
        responses = [post(clients[3], BATCH, [body] * 20) for _ in range(3)]
        return [response.status_code for response in responses if response.getvalue()]

    assert together(lambda: evaluate(0), lambda: evaluate(1), change, batch) == [
        [201] * 8,
        [201] * 8,
        [200] * 8,
        [201] * 3,
    ]
    assert Evaluation.objects.count() == 8 + 8 + 60
    assert connection.in_atomic_block is False
    deleted, evaluated = together(
        lambda: clients[2].delete(f"{PROFILES}/{profile['id']}").status_code, lambda: set(evaluate(0))
    )
    assert deleted == 204
    assert evaluated <= {201, 404}
