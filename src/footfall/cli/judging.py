"""`footfall bench` and `footfall reproduce`: speed and correctness."""

import json
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from footfall.cli.terminal import AsJson, Cluster, Status, bars, folder, interrupted, parallel_place, print_table
from footfall.errors import UnknownNameError

if TYPE_CHECKING:
    from footfall.bench import Row
    from footfall.reproduce import Row as Result
    from footfall.reproduce import Setting
    from footfall.reproduce._report import Report


def bench_command(
    names: Annotated[list[str] | None, typer.Argument(help="Which benchmarks; all if none is named.")] = None,
    as_json: AsJson = False,
) -> None:
    """Measure ratios against the peers, in one run. Ctrl-C keeps the rows measured so far."""
    from footfall import bench

    chosen = names or bench.names()
    for name in chosen:
        if name not in bench.names():
            raise UnknownNameError("benchmark", name, bench.names())
    rows: list[Row] = []
    with Status(quiet=as_json) as progress:
        try:
            for name in chosen:
                progress.say(f"measuring {name} ...")
                for row in bench.measure(name):
                    rows.append(row)
                    progress.say(f"measured {row.name}")
            done = True
        except KeyboardInterrupt:
            done = False
    if as_json:
        keys = ("name", "footfall", "peer", "peer_name", "unit", "ratio")
        print(json.dumps([{key: getattr(row, key) for key in keys} for row in rows], indent=1))
    elif rows:
        _show_ratios(rows)
    if not done:
        raise interrupted(f"rows measured by then: {len(rows)}")


def _show_ratios(rows: "list[Row]") -> None:
    table = [
        {
            "what": row.name,
            "Footfall": f"{row.footfall:.3g} {row.unit}",
            "peer": "" if row.peer is None else f"{row.peer:.3g} {row.unit}, {row.peer_name}",
            "ratio": "" if row.ratio is None else f"{row.ratio:.2f}",
            "goal": row.goal,
        }
        for row in rows
    ]
    print_table("Benchmarks", table)
    for how in dict.fromkeys(row.how for row in rows):
        print(f"  {how}")


def reproduce_command(
    names: Annotated[list[str] | None, typer.Argument(help="Subjects, or single studies as subject/study; all if none.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Shorter runs, and fewer of them.")] = False,
    seed: Annotated[int, typer.Option(help="Seed of all random numbers.", min=0)] = 0,
    out: Annotated[str, typer.Option(help="Folder for a report as one HTML page, and pictures that some subjects draw.")] = "",
    cluster: Cluster = None,
    as_json: AsJson = False,
) -> None:
    """Compare with published figures, closed forms and demands; exit code 1 if one fails. Ctrl-C keeps the rows found so far."""
    from footfall import reproduce

    rows: list[Result] = []
    report = _report(names, quick, seed, out) if out else None
    try:
        with parallel_place(cluster):
            _reproduce(list(reproduce.studies(names or [])), reproduce.Setting(quick, seed, out=out), rows, report, quiet=as_json)
        done = True
    except KeyboardInterrupt:
        done = False
    if as_json:
        print(json.dumps([row.public() for row in rows], indent=1))
    elif rows:
        _show_results(rows)
    if report is not None and rows:
        with Status(quiet=as_json) as progress:
            path = report.write(progress.say)
        print(f"report: {path}", file=sys.stderr if as_json else sys.stdout)
    if not done:
        raise interrupted(f"rows found by then: {len(rows)}")
    raise typer.Exit(0 if all(row.ok for row in rows) else 1)


def _report(names: list[str] | None, quick: bool, seed: int, out: str) -> "Report":
    """An empty report, and the folder for it; the folder is tried first, so that no computation is wasted."""
    from footfall.reproduce._report import Report

    options = [*(["--quick"] if quick else []), *([f"--seed {seed}"] if seed else [])]
    return Report(folder(out, (), force=True), " ".join(["footfall reproduce", *(names or ["all"]), *options]))


def _reproduce(studies: list[str], setting: "Setting", rows: "list[Result]", report: "Report | None", quiet: bool) -> None:
    """Add the rows of all studies, as they are found."""
    from footfall import reproduce

    with bars(quiet) as bar:
        all_of_them, one = bar.add_task("studies", total=len(studies)), bar.add_task("", total=None)
        setting = replace(setting, progress=lambda done, of: bar.update(one, completed=done, total=of))
        for study in studies:
            bar.reset(one, total=None, description=study)
            found = reproduce.rows(study, setting)
            for row in report.gather(study, found) if report is not None else found:
                rows.append(row)
            bar.advance(all_of_them)


def _show_results(rows: "list[Result]") -> None:
    table = [
        {
            "study": row.study,
            "quantity": row.quantity,
            "must be": f"{row.demand} {row.unit if row.unit != '1' else ''}",
            "is": f"{row.value:.6g}",
            "": "ok" if row.ok else "FAILS",
        }
        for row in rows
    ]
    print_table("Reproductions", table)
    for study, how in dict.fromkeys((row.study, row.how) for row in rows if row.how):
        print(f"  {study}: {how}")
    failing = sum(not row.ok for row in rows)
    print(f"{len(rows) - failing} of {len(rows)} hold" + (f", {failing} fail" if failing else ""))
