"""Back ends are found by listing, and are called what their packages are called."""

from __future__ import annotations

import pytest

from pellucid.backends.registry import maker, names
from pellucid.base.errors import BackendError
from pellucid.driver.lending import make_backend
from pellucid.driver.options import Options

from .conftest import back_ends


def test_every_back_end_has_the_name_of_its_package():
    found = [name for name in names() if maker(name).EVERYWHERE]
    assert [make_backend(name).name for name in found] == found
    assert {"llvm", "numpy", "tiles"} <= set(found)


def test_options_know_every_back_end():
    assert [Options(backend=name).backend for name in names()] == [*names()]


def test_the_common_suite_knows_every_back_end():
    # The tile machine runs frames alone, which `test_tiles` draws.
    assert {name for name in names() if maker(name).EVERYWHERE} <= {*back_ends(), "tiles"}


def test_a_name_that_is_none_is_refused():
    with pytest.raises(BackendError, match=r"no back end is called 'lvm'.*llvm"):
        make_backend("lvm")
