"""Cards, figures, recordings and bars in a real kernel of Jupyter."""

import re
from html import unescape

import pytest

import footfall as ff
from footfall.errors import StateError

nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

CELLS = (
    "import footfall as ff\nrun = ff.simulate(ff.studies.load('stand-push'), seconds=0.3)\nrun",
    "run.plot('joints', between=(0.1, 0.2))",
    "ff.view.picture(run.robot)",
    "run.robot",
    "run.study",
    "ff.view.embedded(ff.view.recording(run, PAGE))",
    "import footfall.progress as p\np.PATIENCE = p.OFTEN = 0.0\nwith p.told('busy') as tell:\n    tell(0.25)\n    tell(1.0)",
    "from IPython.display import display\ndisplay(repr(run), repr(run.study))",
)


@pytest.fixture(scope="module")
def outputs(tmp_path_factory):
    """All outputs of the cells, executed in one kernel."""
    import nbformat

    page = tmp_path_factory.mktemp("notebook") / "run.html"
    book = nbformat.v4.new_notebook()
    book.cells = [nbformat.v4.new_code_cell(cell.replace("PAGE", repr(str(page)))) for cell in CELLS]
    nbclient.NotebookClient(book, timeout=300, kernel_name="python3").execute()
    return [[each for each in cell.outputs if each.output_type != "stream"] for cell in book.cells]


def test_a_run_is_a_card(outputs):
    shown = outputs[0][-1].data
    assert "Run of stand-push" in shown["text/html"]
    assert "data:image/png;base64," in shown["text/html"]
    assert "<script" not in shown["text/html"]
    assert len(shown["text/plain"]) < 200
    assert "\n" not in shown["text/plain"]


def test_figures_show(outputs):
    for cell in outputs[1:3]:
        assert cell[-1].data["image/png"].startswith("iVBOR")


def test_robots_and_studies_are_cards(outputs):
    assert "degrees of freedom" in outputs[3][-1].data["text/html"]
    assert "Study stand-push" in outputs[4][-1].data["text/html"]


def test_a_recording_is_embedded(outputs):
    pytest.importorskip("viser")
    frame = outputs[5][-1].data["text/html"]
    assert 'sandbox="allow-scripts"' in frame
    assert "__VISER_EMBED_DATA__" in unescape(re.search(r'srcdoc="([^"]+)"', frame)[1])


def test_a_bar_moves_and_goes(outputs):
    assert "<progress" in str(outputs[6]) or outputs[6][-1].data["text/html"] == ""
    assert len(outputs[6]) == 1


def test_reprs_are_one_line(outputs):
    for each in outputs[7]:
        assert len(each.data["text/plain"]) < 250
        assert r"\n" not in each.data["text/plain"]


def test_cards_of_cycles_and_of_nothing():
    cycle = ff.cycles.limit_cycle(ff.studies.load("compass", slope="-3 deg"))
    card = ff.view.card(cycle)
    assert "Limit cycle of compass" in card
    assert ">stable<" in card
    assert "Floquet multipliers" in card
    with pytest.raises(StateError, match="cards of a Run"):
        ff.view.card(3)
