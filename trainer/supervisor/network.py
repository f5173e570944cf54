"""The address at which workers find the supervisor: that of the network interface of the run."""

from __future__ import annotations

import fcntl
import socket
import struct

_SIOCGIFADDR = 0x8915
"""netdevice(7)"""


class NoAddress(Exception):
    pass


def address_of(interface: str, rehearsal: bool) -> str:
    """IPv4 address. Raises NoAddress with a sentence."""
    if rehearsal and not interface:
        return "127.0.0.1"
    if not interface:
        return _towards_others()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            answer = fcntl.ioctl(
                probe.fileno(), _SIOCGIFADDR, struct.pack("256s", interface.encode()[:15])
            )
        except OSError as error:
            raise NoAddress(
                "This machine has no network interface %s with an IPv4 address (%s). Choose one of: %s."
                % (interface, error.strerror, ", ".join(name for _, name in socket.if_nameindex()))
            ) from error
    return socket.inet_ntoa(answer[20:24])


def _towards_others() -> str:
    """The address that outgoing connections would have; connecting a datagram socket sends nothing."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # TEST-NET-1, RFC 5737: no machine has it
        except OSError:
            return "127.0.0.1"
        return str(probe.getsockname()[0])
