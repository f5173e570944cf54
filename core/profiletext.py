"""A profile as TOML text that keeps what a person wrote: comments, order, blank lines."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from dataclasses import fields
from types import MappingProxyType
from typing import Any

import tomlkit
from tomlkit.items import AoT

from .hosts import Host
from .profiles import FORMAT, Profile

_TABLES = ("env", "hosts")


def profile_text(profile: Profile, old: str = "") -> str:
    """``old`` is the text of the same file before; it must be a readable profile, or empty."""
    document = tomlkit.parse(old) if old else _fresh()
    defaults = _values(Profile()) if old else {}
    for key, value in _values(profile).items():
        if key in document or key not in defaults or value != defaults[key]:
            _put(document, key, value)
    return tomlkit.dumps(document)


def _fresh() -> tomlkit.TOMLDocument:
    document = tomlkit.document()
    document.add("format", tomlkit.item(FORMAT))
    return document


def _values(profile: Profile) -> dict[str, Any]:
    """Plain TOML values; None where the file should not have the key. Tables come last."""
    names = [field.name for field in fields(Profile) if field.name not in _TABLES]
    values = {name: _plain(getattr(profile, name)) for name in names}
    values["env"] = dict(profile.env)
    values["hosts"] = [_host(host) for host in profile.hosts]
    return values


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return list(value)
    return str(value) if isinstance(value, str) else value


def _host(host: Host) -> dict[str, Any]:
    plain: dict[str, Any] = {"name": host.name, "slots": host.slots}
    if host.tags:
        plain["tags"] = list(host.tags)
    plain["in_job"] = host.in_job
    return plain


def _put(document: tomlkit.TOMLDocument, key: str, value: Any) -> None:
    old = document.get(key)
    if value is None or (value in ("", [], {}) and old is None):
        document.pop(key, None)
    elif old is None or not _same(old, value):
        _replace(document, key, old, value)


def _same(old: Any, value: Any) -> bool:
    plain = old.unwrap() if hasattr(old, "unwrap") else old
    return bool(plain == value) and type(plain) is type(value)


def _replace(document: tomlkit.TOMLDocument, key: str, old: Any, value: Any) -> None:
    if isinstance(value, dict) and isinstance(old, MutableMapping):
        _merge(old, value)
    elif key == "hosts" and value:
        _put_hosts(document, old, value)
    elif key == "env":
        document[key] = value
    elif old is None:
        _insert_before_tables(document, key, value)
    else:
        document[key] = value


_HOST_DEFAULTS = {"slots": 1, "in_job": False}


def _merge(
    table: MutableMapping[str, Any],
    value: Mapping[str, Any],
    defaults: Mapping[str, Any] = MappingProxyType({}),
) -> None:
    """A key that is not there and would say the default stays away."""
    for key in [key for key in table if key not in value]:
        del table[key]
    for key, item in value.items():
        if key not in table and key in defaults and item == defaults[key]:
            continue
        if key not in table or not _same(table[key], item):
            table[key] = item


def _put_hosts(document: tomlkit.TOMLDocument, old: Any, hosts: list[dict[str, Any]]) -> None:
    """Hosts that stay keep their own lines; the array is rebuilt only when names changed."""
    tables = old.body if isinstance(old, AoT) else []
    if [table.get("name") for table in tables] == [host["name"] for host in hosts]:
        for table, host in zip(tables, hosts, strict=True):
            _merge(table, host, _HOST_DEFAULTS)
        return
    by_name = {str(table.get("name")): table for table in tables}
    array = tomlkit.aot()
    for host in hosts:
        known = by_name.get(host["name"])
        table = tomlkit.table() if known is None else known
        _merge(table, host, {} if known is None else _HOST_DEFAULTS)
        array.append(table)
    if old is not None:
        del document["hosts"]
    document.append("hosts", array)


def _insert_before_tables(document: tomlkit.TOMLDocument, key: str, value: Any) -> None:
    """A plain key after a [table] would belong to that table, so all tables move behind it."""
    tables = {name: document.pop(name) for name in _TABLES if name in document}
    document.append(key, tomlkit.item(value))
    for name, table in tables.items():
        document.append(name, table)
