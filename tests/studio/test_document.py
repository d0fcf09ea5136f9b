"""Documents of the studio: changes in order, files that are never written over, and recovery."""

from __future__ import annotations

import asyncio
import random
import threading
from unittest.mock import Mock

import pytest

from pellucid.base.errors import FileError, InputError
from pellucid.document import MAX_CHARACTERS
from pellucid.studio.changes import changed, replacement
from pellucid.studio.document import StoredText
from pellucid.studio.folder import Folder
from pellucid.studio.opened import OpenDocument
from pellucid.studio.reading import read
from pellucid.studio.server import MAX_DOCUMENTS, Studio

from .hands import PATIENCE, in_thread


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "picture.py"
    path.write_text("a = 0\n", "utf-8")
    return path


def push(document, after):
    updates = [{"changes": replacement(document.text, after), "clientID": "tab"}]
    assert document.push(document.version, updates)
    document.keep()


def test_a_replacement_leads_from_one_text_to_the_other():
    random.seed(7)
    for _ in range(500):
        before, after = ("".join(random.choices("ab\n\U0001f334", k=random.randrange(12))) for _ in range(2))
        assert changed(before, replacement(before, after)) == after


@pytest.mark.parametrize(
    "sections",
    [None, {}, [3], [5, [1]], [-1], [True], [[1.5, "a"]], [[2, 3]], [[]], ["a"], [[-2, "a"]], [10**30]],
)
def test_what_is_no_change_of_the_text_is_refused(sections):
    with pytest.raises(InputError, match="change: "):
        changed("disk", sections)


def test_a_letter_is_not_cut_in_two():
    with pytest.raises(InputError, match="cuts a letter"):
        changed("\U0001f334", [1, [1]])
    assert replacement("\U0001f334", "") == [[2]]


def test_a_change_of_an_older_version_is_not_taken(file):
    document = StoredText(file)
    push(document, "a = 1\n")
    assert not document.push(0, [{"changes": [[6, "b"]], "clientID": "other"}])
    assert document.text == "a = 1\n"
    assert [each["clientID"] for each in document.since(0)] == ["tab"]
    assert document.since(5) is None


def test_a_refused_update_changes_nothing(file):
    document = StoredText(file)
    before = document.text, document.version
    good = {"changes": replacement(document.text, "x"), "clientID": "tab"}
    for bad in ({"changes": [999], "clientID": "tab"}, {"changes": []}, 5, {"clientID": "t" * 65}):
        with pytest.raises(InputError):
            document.push(0, [good, bad])
    with pytest.raises(InputError, match="characters"):
        document.push(
            0, [{"changes": replacement(document.text, "x" * (MAX_CHARACTERS + 1)), "clientID": "tab"}]
        )
    assert (document.text, document.version) == before


def test_a_file_that_somebody_else_changed_is_not_written_over(file):
    document = StoredText(file)
    push(document, "mine = 1\n")
    file.write_text("theirs = 1\n", "utf-8")
    assert document.is_elsewhere(document.look())
    assert not document.save()
    assert file.read_text("utf-8") == "theirs = 1\n"
    document.overwrite()
    assert (file.read_text("utf-8"), document.saved) == ("mine = 1\n", True)


def test_what_was_not_saved_comes_back_after_a_kill_and_only_over_the_same_file(file):
    before = file.read_text("utf-8")
    push(StoredText(file), before + "# not saved\n")
    again = StoredText(file)
    assert (again.recovered, again.text) == (True, before + "# not saved\n")
    file.write_text("other = 1\n", "utf-8")
    assert (StoredText(file).recovered, StoredText(file).text) == (False, "other = 1\n")


def test_what_is_kept_is_written_once_and_not_after_it_is_saved(file):
    document = StoredText(file)
    push(document, "a = 1\n")
    recovery = next(path for path in file.parent.iterdir() if path != file)
    recovery.unlink()
    document.keep()
    assert not recovery.exists()
    document.push(document.version, [{"changes": replacement(document.text, "a = 2\n"), "clientID": "tab"}])
    assert document.unkept
    document.save()
    document.keep()
    assert (document.unkept, recovery.exists()) == (False, False)


def test_saving_leaves_nothing_beside_the_file(file):
    document = StoredText(file)
    push(document, "a = 1\n")
    assert len(list(file.parent.iterdir())) == 2
    document.save()
    assert [path.name for path in file.parent.iterdir()] == [file.name]


@pytest.mark.parametrize(
    "name",
    [
        "../a.py",
        "/etc/hosts.py",
        "link.py",
        "linked/a.py",
        "sub/../../a.py",
        "",
        "a.txt",
        "a\0.py",
        None,
        5,
        "folder.py",
    ],
)
def test_no_file_outside_of_the_folder_is_opened(tmp_path, name):
    root, outside = tmp_path / "root", tmp_path / "outside"
    for folder in (root, outside, root / "folder.py"):
        folder.mkdir()
    (outside / "a.py").write_text("secret = 1\n", "utf-8")
    (root / "link.py").symlink_to(outside / "a.py")
    (root / "linked").symlink_to(outside)
    with pytest.raises(FileError):
        Folder(root).file(name)
    assert Folder(root).names() == []


def test_a_mistake_is_underlined_where_it_is_and_counted_as_browsers_count(tmp_path):
    text = "from pellucid import images as im\ntree = '\U0001f334'\npicture = im.dsk(1)\n"
    (problem,) = read(1, text, tmp_path / "a.py", None, trust=False).problems
    assert "disk" in problem["message"]
    assert (
        text.encode("utf-16-le")[2 * problem["from"] : 2 * problem["to"]].decode("utf-16-le").endswith("dsk")
    )


def test_code_is_run_only_where_it_is_trusted(tmp_path):
    mark = tmp_path / "mark"
    text = f"from pathlib import Path\nfrom pellucid import images as im\nPath({str(mark)!r}).touch()\n"
    text += "size = len('abc')\npicture = im.disk(size)\n"
    assert read(1, text, tmp_path / "a.py", None, trust=False).picture is None
    assert not mark.exists()
    assert read(1, text, tmp_path / "a.py", None, trust=True).picture is not None
    assert mark.exists()


def test_nodes_keep_their_identities_while_the_text_is_no_python(file):
    text = "from pellucid import images as im\npicture = im.disk(1)"
    first = read(1, text, file, None, trust=False)
    wrong = read(2, text + ".move((", file, first, trust=False)
    again = read(3, text, file, wrong, trust=False)
    assert wrong.document.nodes == {}
    assert again.told_with_tree()["tree"]["picture"] == first.told_with_tree()["tree"]["picture"]


@pytest.mark.parametrize("work", ["look", "save"])
def test_the_loop_goes_on_while_the_disk_is_slow(file, monkeypatch, work):
    ready, look = threading.Event(), StoredText.look

    async def tried():
        opened = OpenDocument(file, trust=False)
        push(opened.document, "mine = 1\n")
        # Whoever reads the file waits for what this loop does after it.
        monkeypatch.setattr(StoredText, "look", lambda self: look(self) if ready.wait(20) else None)
        asked = asyncio.create_task(getattr(opened, work)())
        await asyncio.sleep(0.05)
        assert not asked.done()
        ready.set()
        await asked
        opened.close()

    in_thread(tried)
    assert file.read_text("utf-8") == "mine = 1\n"


def test_a_text_that_is_read_again_is_that_of_its_file(file, monkeypatch):
    said = []

    async def tried():
        opened = OpenDocument(file, trust=False)
        monkeypatch.setattr(opened, "say", said.append)
        file.write_text("theirs = 1\n", "utf-8")
        await opened.look()
        opened.close()

    in_thread(tried)
    updated, *others = (message for message in said if message["kind"] in ("updates", "saved"))
    assert (updated["kind"], others) == ("updates", [{"kind": "saved", "version": 1}])


def test_the_tree_is_told_of_the_last_text_only(file, monkeypatch):
    said = []

    def meanwhile(version, text, *rest, **named):
        found = read(version, text, *rest, **named)
        if version == 0:
            push(opened.document, "from pellucid import images as im\npicture = im.disk(1)\n")
        return found

    async def tried():
        nonlocal opened
        opened, done = OpenDocument(file, trust=False), asyncio.Event()

        def say(message):
            said.append(message)
            if message["version"] == 1:
                done.set()

        monkeypatch.setattr(opened, "say", say)
        await asyncio.wait_for(done.wait(), PATIENCE)
        opened.close()

    opened: OpenDocument | None = None
    monkeypatch.setattr("pellucid.studio.opened.read", meanwhile)
    in_thread(tried)
    first, last = (message for message in said if message["kind"] == "reading")
    assert first == {"kind": "reading", "version": 0, "ok": False}
    assert (last["version"], last["ok"], last["tree"]["valid"], len(last["tree"]["nodes"]) > 1) == (
        1,
        True,
        True,
        True,
    )


def test_a_tree_is_told_again_after_a_pause_and_that_of_the_last_text_always(file, monkeypatch):
    picture = "from pellucid import images as im\npicture = im.disk({})\n"
    said, told = asyncio.Queue(), []

    async def heard(version, *, tree):
        while not told or told[-1]["version"] != version or (tree and "tree" not in told[-1]):
            told.append(await asyncio.wait_for(said.get(), PATIENCE))

    async def tried():
        file.write_text(picture.format(1), "utf-8")
        opened = OpenDocument(file, trust=False)
        monkeypatch.setattr(opened, "say", lambda each: each["kind"] == "reading" and said.put_nowait(each))
        await heard(0, tree=True)
        for version in (1, 2, 3):
            push(opened.document, picture.format(version + 1))
            opened.changed(version - 1)
            await heard(version, tree=False)
        await heard(3, tree=True)
        await asyncio.sleep(0.05)
        assert said.empty()
        opened.close()

    monkeypatch.setattr("pellucid.studio.opened._TREE", 0.3)
    in_thread(tried)
    assert [each["version"] for each in told if "tree" not in each][:1] == [1]
    nodes = told[-1]["tree"]["nodes"].values()
    assert [each["value"] for each in nodes if each["form"] == "number"] == [4]


def test_the_next_text_is_read_when_a_tab_draws_the_one_before(file, monkeypatch):
    picture = "from pellucid import images as im\npicture = im.disk({})\n"
    file.write_text(picture.format(1), "utf-8")
    said: asyncio.Queue[int] = asyncio.Queue()

    def meanwhile(version, *rest, **named):
        found = read(version, *rest, **named)
        if version < 2:
            push(opened.document, picture.format(version + 2))
        return found

    async def tried():
        nonlocal opened
        opened = OpenDocument(file, trust=False)
        opened.tabs.add(Mock(say=lambda message: said.put_nowait(message["version"])))
        for version in range(3):
            assert await asyncio.wait_for(said.get(), PATIENCE) == version
            await asyncio.sleep(0.05)
            assert said.empty(), "it waits for a tab"
            await asyncio.to_thread(opened.take)
        opened.close()

    opened: OpenDocument | None = None
    monkeypatch.setattr("pellucid.studio.opened._TAKING", PATIENCE)
    monkeypatch.setattr("pellucid.studio.opened.read", meanwhile)
    in_thread(tried)


def test_a_document_that_nobody_sees_makes_room_for_another_one(tmp_path):
    for number in range(MAX_DOCUMENTS + 2):
        (tmp_path / f"{number}.py").write_text("a = 0\n", "utf-8")

    async def tried():
        studio = Studio(Folder(tmp_path), "0.py", trust=False)
        for number in range(MAX_DOCUMENTS):
            studio.opened(f"{number}.py")[0].tabs.add(Mock())
        with pytest.raises(InputError, match="too many are open"):
            studio.opened(f"{MAX_DOCUMENTS}.py")
        studio.opened("7.py")[0].tabs.clear()
        studio.opened(f"{MAX_DOCUMENTS}.py")
        assert tmp_path / "7.py" not in studio.documents
        await asyncio.sleep(0.1)
        studio.close()

    in_thread(tried)


def test_what_is_typed_while_a_file_is_written_is_kept(file, monkeypatch):
    document = StoredText(file)
    push(document, "first = 1\n")
    write = StoredText._write

    def slow(self, text):
        write(self, text)
        push(document, "second = 2\n")

    monkeypatch.setattr(StoredText, "_write", slow)
    assert document.save()
    assert (file.read_text("utf-8"), document.saved, document.unkept) == ("first = 1\n", False, True)
    document.keep()
    assert StoredText(file).text == "second = 2\n"
