from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from core.errors import ProfileError
from core.home import Home
from core.hosts import Host
from core.profilefile import builtin, find, load, parse, save
from core.profiles import Driver, Profile

FULL = Profile(
    name='quoted "name" \\ 한국어\n',
    machine="node-1",
    python="/opt/tf/bin/python",
    workdir="/data/job",
    script="train.py",
    script_args=("--lr", "0.1", ""),
    np=2,
    min_np=2,
    max_np=8,
    ssh_port=2222,
    ssh_identity="/home/me/.ssh/id",
    network_interface="eth0",
    elastic_timeout=300,
    start_timeout=60,
    reset_limit=5,
    blacklist_cooldown=(5, 50),
    gloo_timeout=90,
    driver=Driver.STOCK,
    rehearsal=True,
    env={"A": "1", "PATH_LIKE": "a:b"},
    extra_args=("--verbose",),
    hosts=(Host("n1", 4, ("gpu", "rack 1"), True), Host("n2")),
)
BY_HAND = """\
# my cluster, do not touch
format = 1
name = "mine"  # a good name
np = 2

min_np = 1

[env]
B = "2"  # because
A = "1"

[[hosts]]
name = "n1"  # the loud one
slots = 4
in_job = true

[[hosts]]
name = "n2"
"""


def broken_files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if "broken" in path.name)


@pytest.mark.parametrize("profile", [FULL, Profile(), builtin("rehearsal")])
def test_that_a_profile_comes_back_as_it_was_saved(profile: Profile, tmp_path: Path) -> None:
    path = tmp_path / "new folder" / "p.toml"
    assert save(path, profile) is None
    assert load(path) == profile
    assert [item.name for item in path.parent.iterdir()] == ["p.toml"]


def test_that_saving_unchanged_leaves_every_byte_of_a_hand_written_file(tmp_path: Path) -> None:
    path = tmp_path / "p.toml"
    path.write_text(BY_HAND)
    save(path, load(path))
    assert path.read_text() == BY_HAND


def test_that_saving_a_change_keeps_comments_and_order(tmp_path: Path) -> None:
    path = tmp_path / "p.toml"
    path.write_text(BY_HAND)
    profile = load(path)
    changed = replace(
        profile,
        np=3,
        max_np=6,
        env={"B": "3", "C": "4"},
        hosts=(Host("n1", 2, in_job=False), Host("n2"), Host("n3", in_job=True)),
    )
    save(path, changed)
    text = path.read_text()
    assert load(path) == changed
    for comment in ("# my cluster, do not touch", "# a good name", "# the loud one"):
        assert comment in text
    assert text.index("np = 3") < text.index("min_np") < text.index("[env]")


@pytest.mark.parametrize("hosts", [(), (Host("n2"),), (Host("n2"), Host("n1", 4))])
def test_that_hosts_can_leave_and_change_places(hosts: tuple[Host, ...], tmp_path: Path) -> None:
    path = tmp_path / "p.toml"
    path.write_text(BY_HAND)
    changed = replace(load(path), hosts=hosts, env={})
    save(path, changed)
    assert load(path) == changed


def test_that_a_setting_can_be_emptied_again(tmp_path: Path) -> None:
    path = tmp_path / "p.toml"
    save(path, FULL)
    plain = replace(FULL, max_np=None, gloo_timeout=None, extra_args=(), machine="")
    save(path, plain)
    assert load(path) == plain


@pytest.mark.parametrize(
    ("text", "field", "line", "said"),
    [
        ("format = 1\nname = 'x\n", "profile", 2, "Correct this line"),
        ("format = 1\n[env\n", "profile", 2, "Correct this line"),
        ("format = 1\nname = 'x'\nnp = 'two'\n", "np", 3, "a whole number"),
        ("format = 1\nnp = true\n", "np", 2, "a whole number"),
        ("format = 1\n\nspeed = 3\n", "speed", 3, "Take it out"),
        ("format = 2\n", "format", 1, "Update Maypole"),
        ("name = 'x'\n", "format", 1, "format = 1"),
        ("format = 1\nblacklist_cooldown = [1]\n", "blacklist_cooldown", 2, "two whole numbers"),
        ("format = 1\ndriver = 'fast'\n", "driver", 2, '"drive" or "stock"'),
        ("format = 1\nstrategy = 'other'\n", "strategy", 2, '"elastic"'),
        ("format = 1\n[[hosts]]\nslots = 1\n", "hosts", 2, "needs a name"),
        ("format = 1\n[[hosts]]\nname = 'a b'\n", "hosts", 2, "not a host name"),
        ("format = 1\n[[hosts]]\nname = 'a'\nrack = 1\n", "hosts", 2, "Take it out"),
        ("format = 1\n[[hosts]]\nname='a'\n[[hosts]]\nname='a'\n", "hosts", 2, "twice"),
        ("format = 1\nhosts = 'a'\n", "hosts", 2, "a list"),
        ("format = 1\n[env]\nA = 1\n", "env", 2, "text in quotes"),
    ],
)
def test_that_a_broken_profile_names_file_line_and_what_to_do(
    text: str, field: str, line: int, said: str
) -> None:
    with pytest.raises(ProfileError) as broken:
        parse(text, "/my/p.toml")
    assert broken.value.text.startswith(f"/my/p.toml, line {line}: ")
    assert said in broken.value.text
    assert broken.value.field == field


def test_that_a_file_that_is_not_text_names_its_line(tmp_path: Path) -> None:
    path = tmp_path / "p.toml"
    path.write_bytes(b"format = 1\nname = '\xff'\n")
    with pytest.raises(ProfileError, match="line 2: save it as UTF-8"):
        load(path)


def test_that_a_missing_or_huge_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(ProfileError, match="No such file"):
        load(tmp_path / "p.toml")
    (tmp_path / "p.toml").write_bytes(b"#" * (2 << 20))
    with pytest.raises(ProfileError, match="over 1 MB"):
        load(tmp_path / "p.toml")


def test_that_saving_over_a_broken_file_keeps_it_aside(tmp_path: Path) -> None:
    path = tmp_path / "p.toml"
    path.write_text("format = 1\nname = 'mine")
    aside = save(path, FULL)
    assert aside == tmp_path / "p.toml.broken-1"
    assert aside.read_text() == "format = 1\nname = 'mine"
    assert load(path) == FULL
    path.write_text("again")
    assert save(path, FULL) == tmp_path / "p.toml.broken-2"
    assert broken_files(tmp_path) == ["p.toml.broken-1", "p.toml.broken-2"]


def test_that_a_link_to_a_profile_stays_a_link(tmp_path: Path) -> None:
    real, link = tmp_path / "real.toml", tmp_path / "link.toml"
    save(real, Profile())
    link.symlink_to(real)
    save(link, FULL)
    assert link.is_symlink()
    assert load(real) == FULL


def test_that_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ProfileError, match="Save it elsewhere"):
        save(tmp_path / "file" / "p.toml", FULL)


def test_that_a_profile_is_found_by_path_by_saved_name_and_built_in(tmp_path: Path) -> None:
    home = Home(str(tmp_path))
    assert find("rehearsal", home) == builtin("rehearsal")
    save(Path(home.profiles, "rehearsal.toml"), FULL)
    assert find("rehearsal", home) == FULL
    save(tmp_path / "other.toml", Profile(name="other"))
    assert find(str(tmp_path / "other.toml"), home).name == "other"
    with pytest.raises(ProfileError, match=r"built in \(rehearsal\)"):
        find("nothing", home)
