"""The formats that drafts define, each as a question of a text; all take time in line with its length.

`regex` is not among them: it is asked of the JavaScript engine.
"""

import re
import unicodedata
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import date
from ipaddress import AddressValueError, IPv6Address
from typing import Final

_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_TIME = re.compile(r"([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.[0-9]+)?(?:[zZ]|([+-])([0-9]{2}):([0-9]{2}))")
_PLAIN_TIME = re.compile(r"([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]")
_DURATION = re.compile(
    r"P(?:[0-9]+W|(?=[0-9T])(?:[0-9]+Y)?(?:[0-9]+M)?(?:[0-9]+D)?"
    r"(?:T(?=[0-9])(?:[0-9]+H)?(?:[0-9]+M)?(?:[0-9]+S)?)?)"
)
_IPV4 = re.compile(r"(?:(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])(?:\.(?!$)|$)){4}")
_LABEL = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?")
_UUID = re.compile(r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}")
_POINTER = re.compile(r"(?:/(?:[^~/]|~[01])*)*", re.DOTALL)
_RELATIVE_POINTER = re.compile(r"(?:0|[1-9][0-9]*)(?:#|(?:/(?:[^~/]|~[01])*)*)", re.DOTALL)
_LOCAL_PART = re.compile(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*")
_WIDE_LOCAL_PART = re.compile(
    r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~\u0080-\U0010ffff-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~\u0080-\U0010ffff-]+)*"
)
_QUOTED_LOCAL_PART = re.compile(r'"(?:[ !#-\[\]-~]|\\[ -~])*"')
_URI_PARTS = re.compile(r"(?:([^:/?#]+):)?(?://([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?", re.DOTALL)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*")
_PORT = re.compile(r"[0-9]*")
_WIDE = "\u00a0-\ud7ff\uf900-\ufdcf\ufdf0-\uffef\U00010000-\U000effff"
_TEMPLATE = re.compile(
    r"(?:[^\x00-\x20\x7f\"'%<>\\^`{|}]|%[0-9A-Fa-f]{2}"
    r"|\{[+#./;?&=,!@|]?(?:NAME)(?:,(?:NAME))*\})*".replace(
        "NAME", r"(?:\w|%[0-9A-Fa-f]{2})(?:\.?(?:\w|%[0-9A-Fa-f]{2}))*(?:\*|:[1-9][0-9]{0,3})?"
    ),
    re.ASCII,
)


def _characters(extra: str) -> re.Pattern[str]:
    return re.compile(rf"(?:[A-Za-z0-9._~!$&'()*+,;={extra}-]|%[0-9A-Fa-f]{{2}})*")


_HOST, _WIDE_HOST = _characters(""), _characters(_WIDE)
_USER, _WIDE_USER = _characters(":"), _characters(":" + _WIDE)
_PATH, _WIDE_PATH = _characters(":@/"), _characters(":@/" + _WIDE)
_QUERY, _WIDE_QUERY = _characters(":@/?"), _characters(":@/?" + _WIDE + "\ue000-\uf8ff")


def _date(text: str) -> bool:
    if _DATE.fullmatch(text):
        with suppress(ValueError):
            date.fromisoformat(text)
            return True
    return False


def _time(text: str) -> bool:
    match = _TIME.fullmatch(text)
    if not match:
        return False
    hour, minute, second = (int(match[number]) for number in (1, 2, 3))
    ahead_hours, ahead_minutes = int(match[5] or 0), int(match[6] or 0)
    if hour > 23 or minute > 59 or second > 60 or ahead_hours > 23 or ahead_minutes > 59:
        return False
    ahead = (ahead_hours * 60 + ahead_minutes) * (-1 if match[4] == "-" else 1)
    # A leap second is the last one of a day in universal time.
    return second < 60 or (hour * 60 + minute - ahead) % 1440 == 1439


def _date_time(text: str) -> bool:
    return text[10:11] in ("T", "t") and _date(text[:10]) and _time(text[11:])


def _ipv6(text: str) -> bool:
    if "%" not in text and len(text) <= 45:
        with suppress(AddressValueError):
            IPv6Address(text)
            return True
    return False


def _hostname(text: str) -> bool:
    return len(text) <= 253 and all(_LABEL.fullmatch(label) for label in text.split("."))


def _wide_label(label: str) -> bool:
    """Letters, marks, digits and inner hyphens of any script, that fit in 63 characters of ASCII."""
    if label.isascii():
        return bool(_LABEL.fullmatch(label))
    if len(label) > 63 or label[0] == "-" or label[-1] == "-" or label[2:4] == "--":
        return False
    if unicodedata.category(label[0])[0] == "M" or unicodedata.normalize("NFC", label) != label:
        return False
    if not all(character == "-" or unicodedata.category(character) in _LABEL_KINDS for character in label):
        return False
    return len(label.encode("punycode")) + 4 <= 63


_LABEL_KINDS: Final = frozenset({"Ll", "Lo", "Lm", "Mn", "Mc", "Nd"})


def _idn_hostname(text: str) -> bool:
    labels = re.split("[.\u3002\uff0e\uff61]", text) if len(text) <= 253 else [""]
    return all(label and _wide_label(label) for label in labels)


def _mail(text: str, local_part: re.Pattern[str], host: Callable[[str], bool]) -> bool:
    local, at, domain = text.rpartition("@")
    if not at or not 0 < len(local) <= 64 or len(domain) > 255:
        return False
    if not local_part.fullmatch(local) and not _QUOTED_LOCAL_PART.fullmatch(local):
        return False
    if domain[:1] == "[" and domain[-1:] == "]":
        literal = domain[1:-1]
        return bool(_IPV4.fullmatch(literal)) or (literal[:5].lower() == "ipv6:" and _ipv6(literal[5:]))
    return host(domain)


def _authority(text: str, user: re.Pattern[str], host: re.Pattern[str]) -> bool:
    before, _, rest = text.rpartition("@")
    if not user.fullmatch(before):
        return False
    if rest[:1] == "[":
        literal, closing, port = rest[1:].partition("]")
        future = re.fullmatch(r"[vV][0-9a-fA-F]+\.[A-Za-z0-9._~!$&'()*+,;=:-]+", literal)
        return (
            bool(closing)
            and (port == "" or port[0] == ":")
            and bool(_PORT.fullmatch(port[1:]))
            and (_ipv6(literal) or bool(future))
        )
    name, _, port = rest.partition(":")
    return bool(host.fullmatch(name)) and bool(_PORT.fullmatch(port))


def _reference(text: str, *, wide: bool, absolute: bool) -> bool:
    match = _URI_PARTS.fullmatch(text)
    if not match:
        return False
    scheme, authority, path, query, fragment = match.groups()
    if scheme is None and (absolute or ":" in path.split("/", 1)[0]):
        return False
    if scheme is not None and not _SCHEME.fullmatch(scheme):
        return False
    if authority is not None and not _authority(
        authority, _WIDE_USER if wide else _USER, _WIDE_HOST if wide else _HOST
    ):
        return False
    paths, others = (_WIDE_PATH, _WIDE_QUERY) if wide else (_PATH, _QUERY)
    return bool(paths.fullmatch(path) and others.fullmatch(query or "") and others.fullmatch(fragment or ""))


FORMATS: Final[Mapping[str, Callable[[str], bool]]] = {
    "date": _date,
    "time": _time,
    "date-time": _date_time,
    "duration": lambda text: bool(_DURATION.fullmatch(text)),
    "email": lambda text: _mail(text, _LOCAL_PART, _hostname),
    "idn-email": lambda text: _mail(text, _WIDE_LOCAL_PART, _idn_hostname),
    "hostname": _hostname,
    "idn-hostname": _idn_hostname,
    "ipv4": lambda text: bool(_IPV4.fullmatch(text)),
    "ipv6": _ipv6,
    "uri": lambda text: _reference(text, wide=False, absolute=True),
    "uri-reference": lambda text: _reference(text, wide=False, absolute=False),
    "iri": lambda text: _reference(text, wide=True, absolute=True),
    "iri-reference": lambda text: _reference(text, wide=True, absolute=False),
    "uri-template": lambda text: bool(_TEMPLATE.fullmatch(text)),
    "uuid": lambda text: bool(_UUID.fullmatch(text)),
    "json-pointer": lambda text: bool(_POINTER.fullmatch(text)),
    "relative-json-pointer": lambda text: bool(_RELATIVE_POINTER.fullmatch(text)),
}
"""The formats of drafts 4 and later, and `regex`."""

DRAFT3_FORMATS: Final[Mapping[str, Callable[[str], bool]]] = {
    **FORMATS,
    "time": lambda text: bool(_PLAIN_TIME.fullmatch(text)),
    "ip-address": FORMATS["ipv4"],
    "host-name": _hostname,
}
