"""The figures of a labelling project as values: how far people agree, how the layers went, and what to beware of."""

from __future__ import annotations

from typing import Literal

from riskchain_gym.benchmark.labels.plan import Subject
from riskchain_gym.protocol.model import Frozen
from riskchain_gym.scoring.calibration.rates import Rate

Question = Literal["decision", "joint", "answer"]
"""What is compared: the decision; decision and main type together, named by the type; the answer about a pair."""


class Measured(Frozen):
    """A measure of agreement, or why there is none.

    Attributes:
        value: The measure; 1 is perfect. ``None`` where it is undefined, which is neither 0 nor 1.
        low: Lower end of the 95 % bootstrap interval over clusters, ``None`` where there is none.
        high: Upper end.
        units: Items that were compared.
        reason: Why the value or its interval is missing; ``""`` where both are there.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    units: int
    reason: str = ""


class AnnotatorPair(Frozen):
    """How far two annotators agree on the items that both passed.

    Attributes:
        first: The one whose name comes first.
        second: The other.
        percent: Share of the items on which they agree.
        alpha: Krippendorff's α of the two.
    """

    first: str
    second: str
    percent: Measured
    alpha: Measured


class SpecificAgreement(Frozen):
    """How far passes agree on one label: the chance that a pass gives it to an item to which another has given it.

    Attributes:
        label: The label.
        both: Pairs of passes of one item that both gave it, ``a``.
        one: Pairs of which just one did, ``b + c``.
        agreement: ``2a / (2a + b + c)``; its units are the items to which a pass gave the label.
    """

    label: str
    both: int
    one: int
    agreement: Measured


class Confusion(Frozen):
    """How often two labels met; nobody is taken to be right.

    Attributes:
        first: A label.
        second: The same, or one that comes after it in the codebook.
        pairs: Pairs of passes of one item that gave the two, in either order.
    """

    first: str
    second: str
    pairs: int


class ByConfidence(Frozen):
    """How often the passes of one confidence met agreement.

    Attributes:
        confidence: 1 (a guess) to 5 (certain).
        agreed: Of the pairs of passes that this confidence took part in, counted once for each side that had it, those
            that agree. The interval takes them for independent, which the two sides of a pair are not.
    """

    confidence: int
    agreed: Rate


class Overruled(Frozen):
    """How often the settled label of an item is another than the one that an annotator's pass gave.

    Attributes:
        worker: The annotator.
        overruled: Of the annotator's passes whose items are settled, those that differ from the settled label.
    """

    worker: str
    overruled: Rate


class QuestionAgreement(Frozen):
    """Everything about one question.

    Attributes:
        question: What is compared.
        percent: Share of pairs of independent passes of one item that agree.
        alpha: Krippendorff's α for nominal data.
        annotators: The same for each pair of annotators with an item in common.
        labels: Specific agreement of each decision, of each concrete type, or of each answer.
        confusions: The symmetrised confusion table, without its empty cells.
        repeats: Of the hidden repeats whose first answer stands, those that gave it again.
        confidence: Agreement by confidence.
        overruled: By annotator.
    """

    question: Question
    percent: Measured
    alpha: Measured
    annotators: tuple[AnnotatorPair, ...]
    labels: tuple[SpecificAgreement, ...]
    confusions: tuple[Confusion, ...]
    repeats: Rate
    confidence: tuple[ByConfidence, ...]
    overruled: tuple[Overruled, ...]


class Sided(Frozen):
    """With whom adjudications sided, on decision and main type, or on the answer.

    Attributes:
        pass_and_review: With a pass with which the review had sided as well.
        pass_only: With a pass, and not with the review, or there was none.
        review_only: With the review against all passes.
        nobody: With none of them.
    """

    pass_and_review: int = 0
    pass_only: int = 0
    review_only: int = 0
    nobody: int = 0


class Layers(Frozen):
    """How many answers each layer asked for and got.

    Attributes:
        items: Items of the plan.
        passes_due: Passes that the plan asks for.
        passes: Passes that were given and stand.
        complete: Items with all of their passes.
        disagreements: Complete items whose passes differ in decision or main type, or in the answer.
        decision_disagreements: Those that differ in the decision, or in the answer.
        reviews_due: Disagreements for which the plan has a reviewer.
        reviews: Disagreements that were reviewed.
        adjudications: Disagreements that were adjudicated.
        sided: With whom the adjudications sided.
        repeats_due: Hidden repeats that the plan asks for.
        repeats: Repeats that were given and stand.
        settled: Items that have a label.
        open: Items that have none.
        withdrawn: Answers that were taken back.
    """

    items: int
    passes_due: int
    passes: int
    complete: int
    disagreements: int
    decision_disagreements: int
    reviews_due: int
    reviews: int
    adjudications: int
    sided: Sided
    repeats_due: int
    repeats: int
    settled: int
    open: int
    withdrawn: int


class WorkerFigures(Frozen):
    """What one person did; answers that were taken back are not among the first four.

    Attributes:
        worker: Whose figures.
        role: The role in the plan.
        simulated: Whether a program answered.
        passes: Passes given.
        repeats: Repeats given.
        reviews: Reviews given.
        adjudications: Adjudications given.
        withdrawn: Answers taken back.
        measured: Answers whose time was measured.
        median_seconds: Median of their times, in seconds; ``None`` where none was measured.
    """

    worker: str
    role: str
    simulated: bool
    passes: int
    repeats: int
    reviews: int
    adjudications: int
    withdrawn: int
    measured: int
    median_seconds: float | None


class GoldCell(Frozen):
    """How many items have this gold and that settled label."""

    gold: str
    settled: str
    items: int


class GoldQuestion(Frozen):
    """Settled labels against gold on one question.

    Attributes:
        question: What is compared.
        percent: Share of the settled items that have the gold's label.
        cells: The confusion table, without its empty cells.
    """

    question: Question
    percent: Measured
    cells: tuple[GoldCell, ...]


class AgainstGold(Frozen):
    """Settled labels against labels that were constructed.

    Attributes:
        gold: Where the gold comes from.
        questions: The comparison, question by question.
        differing: Items whose settled decision or main type is not the gold's.
    """

    gold: str
    questions: tuple[GoldQuestion, ...]
    differing: tuple[str, ...]


class Caution(Frozen):
    """Something that must be read beside the figures.

    Attributes:
        code: What it is, for machines.
        text: A sentence.
    """

    code: str
    text: str


class LabelAgreement(Frozen):
    """The agreement figures of a labelling project; a function of plan and answers, the same bytes each time.

    Attributes:
        plan_sha256: The plan.
        subject: What is labelled.
        codebook_version: The codebook that the answers follow.
        source: Where the items come from.
        passes: Independent passes that the plan asks for of each item.
        clusters: How many clusters the items are in; an item without one is one by itself.
        seed: Seed of the bootstrap draws.
        replicates: Bootstrap samples.
        simulated: Workers that are programs.
        questions: Decision and joint label; or the answer.
        layers: How the layers went.
        workers: By worker, in the plan's order.
        gold: Settled labels against gold, where that was asked for.
        cautions: What to beware of.
    """

    schema_version: Literal["riskchain-label-agreement/v1"] = "riskchain-label-agreement/v1"
    plan_sha256: str
    subject: Subject
    codebook_version: str
    source: str
    passes: int
    clusters: int
    seed: int
    replicates: int
    simulated: tuple[str, ...]
    questions: tuple[QuestionAgreement, ...]
    layers: Layers
    workers: tuple[WorkerFigures, ...]
    gold: AgainstGold | None = None
    cautions: tuple[Caution, ...]

    def question(self, name: Question) -> QuestionAgreement:
        """Return the figures of one question.

        Raises:
            KeyError: The project does not ask it.
        """
        for found in self.questions:
            if found.question == name:
                return found
        raise KeyError(name)
