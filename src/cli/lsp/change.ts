/** Code actions and formatting: fixes of diagnostics, and white space. Renames are in `rename.ts`. */
import { type CodeAction, CodeActionKind, type Range, type TextEdit } from 'vscode-languageserver/node';
import { formatEdits } from '../../language/flow/text/format.ts';
import type { Problem } from '../../language/flow/text/problems.ts';
import { diagnosticOf } from './diagnostic.ts';
import type { LspFlowText } from './flow-text.ts';

/** Formats white space only. Returns no edits where the meaning could change. */
export function formatted(flow: LspFlowText): TextEdit[] | null {
  const edits = flow.isTooLarge ? undefined : formatEdits(flow.text, flow.words);
  return edits?.map((edit) => flow.editOf(edit)) ?? null;
}

/** Fixes for problems in a range, and a fix for the whole document. */
export function actionsIn(flow: LspFlowText, range: Range, problems: readonly Problem[]): CodeAction[] {
  const from = flow.offsetOf(range.start);
  const to = flow.offsetOf(range.end);
  const near = problems.filter((problem) => problem.from <= to && problem.to >= from);
  const changesOf = (edits: TextEdit[]) => ({ changes: { [flow.uri]: edits } });
  const single = near.flatMap(({ repair, ...problem }): CodeAction[] =>
    repair === undefined
      ? []
      : [
          {
            title: repair.title,
            kind: CodeActionKind.QuickFix,
            isPreferred: true,
            diagnostics: [diagnosticOf(flow, problem)],
            edit: changesOf([flow.editOf(repair)]),
          },
        ],
  );
  const all = repairsApart(problems);
  if (all.length === 0) return single;
  const edit = changesOf(all.map((repair) => flow.editOf(repair)));
  return [...single, { title: 'Apply all obvious fixes', kind: CodeActionKind.SourceFixAll, edit }];
}

type Repair = NonNullable<Problem['repair']>;

/** Fixes without overlaps: of adjacent ones only the first, as in `check --fix`. */
function repairsApart(problems: readonly Problem[]): Repair[] {
  const repairs = problems.flatMap(({ repair }) => repair ?? []).sort((one, other) => one.from - other.from);
  const apart: Repair[] = [];
  for (const repair of repairs) {
    const before = apart.at(-1);
    if (before === undefined || repair.from > before.to) apart.push(repair);
  }
  return apart;
}
