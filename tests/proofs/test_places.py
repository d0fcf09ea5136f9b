"""The hypotheses of every lemma that can be read off a place are computed at places of the programs of the gate."""

from tools.instances import READERS
from tools.places import PROGRAMS, Places


def test_every_lemma_is_met_where_it_is_proved():
    places = Places()
    for number in range(2 * PROGRAMS):
        assert all(places.program(number))
    assert set(places.proved) == set(READERS)
    assert sum(places.proved.values()) > 1000
    # A column of a loop that stands under a test: the lemma speaks of a loop right inside of another.
    assert places.beyond <= 2
