"""The page of differences has those that the tests expect, each with a reason."""

import differences


def test_the_page_lists_the_differences():
    found = differences.PAGE.read_text(encoding="utf-8")
    assert found == differences.page_with_tables(), "run tests/rivals/differences.py"


def test_every_reason_is_used():
    used = {reason for tests in differences.DIFFERENCES.values() for reason in tests.values()}
    assert used == set(differences.REASONS)
