"""What is known from outside, handed on from pass to pass: nothing is inferred twice, and nothing less is known."""

from pellucid.ir.facts import Facts
from pellucid.ir.parse import parse_expr
from pellucid.reasoning import infer
from pellucid.reasoning.infer import FactsOf, Ranges

(SUM,) = parse_expr("($a:i32 + 1) * 2")
(A,) = parse_expr("$a:i32")


def test_what_one_pass_inferred_another_one_finds(monkeypatch):
    ranges = Ranges({A: Facts(0, 9)})
    wanted = FactsOf.handed_on(ranges)(SUM)
    assert wanted.within(2, 20)

    def never(*_):
        raise AssertionError("it is known")

    monkeypatch.setattr(infer, "_transfer", never)
    assert FactsOf.handed_on(ranges)(SUM) is wanted
    assert FactsOf.handed_on(ranges.and_more({parse_expr("$b:i32")[0]: Facts(0, 1)}))(SUM) is wanted


def test_what_was_inferred_from_less_is_inferred_anew():
    ranges = Ranges({A: Facts(0, 9)})
    assert FactsOf.handed_on(ranges)(SUM).hi == 20
    assert FactsOf.handed_on(ranges.and_more({A: Facts(0, 4)}))(SUM).hi == 10
    assert FactsOf.handed_on(ranges)(SUM).hi == 20


def test_a_plain_mapping_keeps_nothing():
    ranges = {A: Facts(0, 9)}
    FactsOf.handed_on(ranges)(SUM)
    assert len(ranges) == 1
