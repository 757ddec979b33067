"""What models share that learn step by step: parts, epochs, learning rate, and who trains."""

import copy
from abc import abstractmethod
from dataclasses import dataclass

from ..corpus import Corpus
from ..engine.rows import default_parts
from ..engine.schedule import Schedule
from ..engine.training import Learner
from ..errors import Given, ParameterError
from ..parameters import Search, parameter
from .base import Model
from .fit import Fit


@dataclass(kw_only=True, eq=False)
class StepwiseModel(Model):
    """Base of the models that learn step by step: each declares its source of pairs, its step and its schedule."""

    epochs: int = parameter(5, "Number of passes over the corpus.", minimum=1, search=Search(1, 10))
    learning_rate: float = parameter(
        0.025, "Initial learning rate; it falls linearly.", minimum=1e-9, search=Search(0.005, 0.1, log=True)
    )
    parts: int | None = parameter(
        None,
        "Number of parts that words and contexts are dealt to, a power of two; no more threads can work at once. It "
        "decides the order of steps, and so the exact result. Default: 16 up to 131,072 words, 32 up to twice as many, "
        "and so on up to 128; at least 32 for GloVe with more than 32,768 words; with subwords 4, or 8 for more than "
        "65,536 words.",
        minimum=1,
        maximum=1024,
    )

    def _check(self) -> None:
        super()._check()
        if self.parts and self.parts.bit_count() > 1:
            raise ParameterError(Given("parts", self.parts), ": it must be a power of two, such as 64")

    @property
    @abstractmethod
    def schedule(self) -> Schedule:
        """How long and how fast to train."""

    def _check_distributable(self) -> None:
        """Accept: word parts stay with workers and context parts travel."""

    def _parts(self, words: int) -> int:
        """Return the number of parts for so many words."""
        return self.parts or default_parts(words)

    @abstractmethod
    def _learner(self, fit: Fit, corpus: Corpus) -> Learner:
        """Return the source of pairs, the step, and the rows that it moves."""

    def _input_rows(self, fit: Fit, corpus: Corpus) -> int:
        """Return the number of input rows that words' vectors are composed of."""
        del fit
        return len(corpus.vocabulary)

    def _order(self, words: int) -> dict[str, int]:
        """Return the parameters that decide the order of steps, and so the exact result, with their defaults."""
        return {"parts": self._parts(words)}

    def _learn(self, fit: Fit, corpus: Corpus) -> None:
        self.order_ = fit.settled(self._order(len(corpus.vocabulary)))
        model = copy.copy(self)  # its parameters are those of the run, whatever the defaults of this version are
        vars(model).update(self.order_)
        if self.recipe is not None:
            fit.check(model.footprints, fit.sizes(corpus, input_rows=model._input_rows(fit, corpus)), self.recipe)
        learner = model._learner(fit, corpus)
        vars(self).update({name: value for name, value in vars(model).items() if name.endswith("_")})

        def keep(losses: list[dict[str, float]], *, last: bool) -> None:
            self.losses_ = list(losses)
            self._keep(learner, last=last)

        if fit.joining is None:
            fit.train(learner, self.schedule, keep)
        else:
            from .distributed import ClusterTraining  # workers build models, so it imports this module

            ClusterTraining(fit, model, corpus, learner, keep).run()
        fit.check_pairs(self.losses_)

    def _keep(self, learner: Learner, *, last: bool) -> None:
        """Take over what was learned; the last time, rows are given up once they are copied."""
        for name, rows in (("W_", learner.words.arrays["rows"]), ("C_", learner.contexts.arrays["rows"])):
            setattr(self, name, rows.whole())
            if last:
                rows.release()
