"""Things that show themselves in a notebook."""


class Shown:
    """Has a card: a picture, what it is, and its figures, as HTML that Jupyter shows at the end of a cell."""

    def _repr_html_(self) -> str:
        from footfall.view.card import card  # the import that goes up: a thing offers its card, and knows nothing of it

        return card(self)
