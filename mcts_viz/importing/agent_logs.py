"""Which logs of agents there are: how each begins, and what reads its records."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from mcts_viz.importing import journals
from mcts_viz.importing.import_report import ImportReport
from mcts_viz.importing.json_records import LogText, Skip, read_log
from mcts_viz.importing.moatless import moatless_records
from mcts_viz.importing.node_record import NodeRecord, record_tree
from mcts_viz.importing.openevolve import SCORES, openevolve_records
from mcts_viz.importing.record_fields import RecordFields, looks_like_records, node_records
from mcts_viz.importing.record_rows import trace_of_records
from mcts_viz.importing.redaction import redacted
from mcts_viz.trace.trace import Trace

Reader = Callable[[LogText, RecordFields, Skip | None], list[NodeRecord]]
JOURNAL = re.compile(
    rb'\s*\{\s*"nodes"\s*:\s*\[\s*(\{.*"(plan|_term_out|is_buggy)"\s*:|\]\s*,\s*"node2parent")',
    re.DOTALL,
)
SCIENTIST = re.compile(rb'"(overall_plan|plot_code|is_buggy_plots)"\s*:')
PROGRAM = re.compile(rb'"child_id"\s*:')
TREE = re.compile(
    rb'"(selector|expander)"\s*:\s*\{.*|"node_id"\s*:.*"(visits|action_steps|parent_id)"\s*:',
    re.DOTALL,
)


class AgentLog(NamedTuple):
    """One kind of log."""

    title: str
    program: str  # that writes it, as the name of what is searched
    recognises: Callable[[bytes], bool]  # by how it begins
    records: Reader
    notes: tuple[str, ...] = ()


def _is_journal(head: bytes) -> bool:
    return JOURNAL.match(head) is not None


AGENT_LOGS: Mapping[str, AgentLog] = {
    "openevolve": AgentLog(
        "an evolution trace of OpenEvolve (JSONL)",
        "OpenEvolve",
        lambda head: PROGRAM.search(head) is not None and b'"parent_id"' in head,
        lambda log, _, skip: openevolve_records(log, skip),
        (SCORES,),
    ),
    "ai-scientist": AgentLog(
        "a journal.json of AI-Scientist-v2",
        "AI-Scientist-v2",
        lambda head: _is_journal(head) and SCIENTIST.search(head) is not None,
        lambda log, _, skip: journals.journal_records(log, skip),
        (journals.TURNED,),
    ),
    "aide": AgentLog(
        "a journal.json of AIDE",
        "AIDE",
        _is_journal,
        lambda log, _, skip: journals.journal_records(log, skip),
        (journals.TURNED,),
    ),
    "moatless": AgentLog(
        "a tree of moatless-tree-search",
        "moatless",
        lambda head: TREE.search(head) is not None and b'"mcts_viz.' not in head,
        lambda log, _, skip: moatless_records(log, skip),
    ),
    "records": AgentLog(
        "records that name their parents (JSON, JSONL), any names of fields",
        "agent search",
        looks_like_records,
        node_records,
    ),
}


def import_agent_log(
    kind: AgentLog,
    source: str,
    path: Path,
    fields: Mapping[str, str] | None,
    lenient: bool,
    redact: bool,
) -> ImportReport:
    """The trace of a log, in the file, and what came of it; raises ImportFormatError. redact: strike out secrets."""
    report = ImportReport(path)
    skip = report.skip if lenient else None
    log = read_log(source)
    records = kind.records(log, RecordFields.checked(fields), skip)
    if redact:
        records = [_without_secrets(record, report) for record in records]
    report.n_lines = len(log.lines) or len(records) + report.n_skipped
    made = trace_of_records(Trace, record_tree(records, skip), kind.program, kind.notes, path)
    report.n_iterations, report.n_nodes = made.n_iterations, made.n_nodes
    return report


def _without_secrets(record: NodeRecord, report: ImportReport) -> NodeRecord:
    def clean(text: str) -> str:
        text, n = redacted(text)
        report.n_redacted += n
        return text

    texts = {name: clean(text) for name, text in record.texts.items()}
    return dataclasses.replace(
        record, label=redacted(record.label)[0], error=clean(record.error), texts=texts
    )
