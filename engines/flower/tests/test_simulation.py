"""Flower's simulation, with real processes."""

from platform_flower import Link, Machine


def test_flowers_simulation_comes_to_the_same_bytes(case, tmp_path):
    with Machine(tmp_path) as machine:
        link = Link(machine, simulation=True)
        run = link.run(case, **{"sites-folder": case.folder})
        run.finish(150)
        case.check(run.result)
        assert sorted(path.name for path in (case.folder / "state").iterdir()) == case.sites
