# make demo   set up, let a biped move, print figures, write a picture
# make test   set up, run the tests
# make page-test  the lab in a real browser (Debian's chromium), the last part of make test
# make check  format, lint, types, import contract, documentation
# make pictures  all pictures of the documentation: the gallery of studies as moving pictures, and the figures of its pages
# make bench  ratios against the peers
# make reproduce  figures beside the published ones, closed forms and demands

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
CORES := $(shell $(PYTHON) -c "import os; print(os.cpu_count() or 1)")

.PHONY: demo test page-test check docs pictures bench reproduce format clean

$(READY): pyproject.toml
	$(PYTHON) -c "import sys; sys.exit('Footfall needs Python 3.11 or newer, this is ' + sys.version.split()[0]) if sys.version_info < (3, 11) else None"
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[dev]"
	touch $@

demo: $(READY)
	$(BIN)/footfall warm
	$(BIN)/python examples/00_free_motion.py
	$(BIN)/python examples/01_stand_and_push.py
	$(BIN)/python examples/04_ono.py
	$(BIN)/python examples/06_ranger.py
	$(BIN)/python examples/07_johnnie_ground.py
	@echo "Now play with them live in the browser:  $(BIN)/footfall lab ranger-walk"

test: $(READY)
	$(BIN)/python -m pytest -n $(CORES) --ignore tests/test_lab_page.py
	NUMBA_BOUNDSCHECK=1 $(BIN)/python -m pytest -n $(CORES) $(addprefix tests/test_,identities.py closed_forms.py)
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -n $(CORES) $(addprefix tests/test_,closed_forms.py kernels.py bad_input.py)
	$(MAKE) --no-print-directory page-test

page-test: $(READY)
	$(BIN)/python -m pytest tests/test_lab_page.py

check: $(READY) docs
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: $(READY)
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs build/docs

pictures: $(READY)
	$(BIN)/python docs/gallery.py
	$(BIN)/python docs/figures.py

bench: $(READY)
	$(BIN)/footfall bench

reproduce: $(READY)
	$(BIN)/footfall reproduce

format: $(READY)
	$(BIN)/ruff format
	$(BIN)/ruff check --fix

clean:
	rm -rf $(VENV) build dist demo
