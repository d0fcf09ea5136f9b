"""What the fast gate types: the modules that changed, and those that import them."""

from tools.changed_modules import to_check


def test_a_module_is_checked_with_those_that_import_it():
    found = to_check(["src/pellucid/ir/interp.py", "tests/ir/test_interp.py"])
    assert {"src/pellucid/ir/interp.py", "src/pellucid/backends/port.py"} <= {*found}
    assert "src/pellucid/images/color.py" not in found


def test_all_are_checked_where_more_than_modules_changed():
    for name in ("pyproject.toml", "typings/x.pyi", "src/pellucid/__init__.pyi", "src/pellucid/gone.py"):
        assert to_check([name]) == ["src", "examples"], name
    assert to_check(["README.md"]) == []
