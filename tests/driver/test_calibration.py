"""Calibration: what is dear is measured to be dear, and a table is found again only if it is whole."""

from __future__ import annotations

import json

import pytest

from pellucid.driver import cache as cache_file
from pellucid.driver import calibration
from pellucid.driver.calibration import WAKE, keep, measured
from pellucid.driver.threads import available
from pellucid.ir import prim as table
from pellucid.loops.hops import read
from pellucid.reasoning.machine import CHARGES, CostModel
from pellucid.reasoning.timer import Timer

MACHINE = CostModel(
    "somewhere", dict.fromkeys(CHARGES, 2.5), {"add": 1.5}, lanes=4, threads=available(), wake=WAKE
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(cache_file, "cache", lambda: cache_file.Cache(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture(scope="module")
def bench():
    return calibration._Bench()


def test_dear_operators_are_measured_to_be_dear(bench):
    cost = {name: bench.operator(table.row(name)) for name in ("add", "sqrt", "pow", "floor_div")}
    assert 0 < cost["add"] < cost["sqrt"] < cost["pow"]
    assert cost["add"] < cost["floor_div"]


@pytest.mark.parametrize("name", ["lt", "choose", "neg", "and", "convert", "bitcast", "fma", "shift_left"])
def test_every_form_of_row_can_be_measured(bench, monkeypatch, name: str):
    monkeypatch.setattr(calibration, "RUNS", 1)
    assert bench.operator(table.row(name)) > 0


def test_every_kind_of_work_is_measured(bench, monkeypatch):
    monkeypatch.setattr(calibration, "RUNS", 2)
    found = {kind: measure() for kind, measure in bench.charges.items()}
    assert all(cost > 0 for cost in found.values())
    assert found.keys() <= CHARGES.keys()


def test_a_table_covers_every_kind_of_work_and_every_row(monkeypatch):
    monkeypatch.setattr(calibration._Bench, "time", lambda *_: 1.0)
    told: list[str] = []
    machine = calibration.calibrate(told.append)
    assert machine.charges.keys() == CHARGES.keys()
    assert machine.operators.keys() == table.table().keys()
    assert {*table.table()} < {*told}
    assert Timer(machine).cost(read("(MakeVariable s) (for i 0 9 (:= s (+ s i)))")) > 0


def test_a_kept_table_is_found_again(folder):
    assert measured() is None
    path = keep(MACHINE)
    assert path is not None
    assert measured() == MACHINE
    assert [p.name for p in folder.iterdir()] == [path.name]


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: {},
        lambda content: [],
        lambda content: {**content, "version": 0},
        lambda content: {**content, "charges": {"loop": 1.0}},
        lambda content: {**content, "charges": 3},
        lambda content: {**content, "operators": {"add": -1.0}},
        lambda content: {**content, "operators": {"add": "dear"}},
        lambda content: {**content, "lanes": None},
    ],
)
def test_a_damaged_table_is_none(folder, damage):
    path = keep(MACHINE)
    assert path is not None
    path.write_text(json.dumps(damage(json.loads(path.read_text()))))
    assert measured() is None
    path.write_text("half a ta")
    assert measured() is None
