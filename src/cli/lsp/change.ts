/** Changes that an editor is offered: the repairs of the checker, white space in order. Neighbour: `rename.ts`. */
import { type CodeAction, CodeActionKind, type Range, type TextEdit } from 'vscode-languageserver/node';
import { formatEdits } from '../../flow/text/format.ts';
import type { Problem } from '../../flow/text/problems.ts';
import { diagnosticOf } from './diagnostic.ts';
import type { FlowText } from './flow-text.ts';

/** White space alone; nothing where that is not sure to leave the meaning as it is. */
export function formatted(flow: FlowText): TextEdit[] | null {
  const edits = flow.isTooLarge ? undefined : formatEdits(flow.text, flow.words);
  return edits?.map((edit) => flow.editOf(edit)) ?? null;
}

/** The repairs of what is found in a range, and all of the document. */
export function actionsIn(flow: FlowText, range: Range, problems: readonly Problem[]): CodeAction[] {
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
  return [...single, { title: 'Make all obvious repairs', kind: CodeActionKind.SourceFixAll, edit }];
}

type Repair = NonNullable<Problem['repair']>;

/** Of those that touch each other the first, as `check --fix` makes them. */
function repairsApart(problems: readonly Problem[]): Repair[] {
  const repairs = problems.flatMap(({ repair }) => repair ?? []).sort((one, other) => one.from - other.from);
  const apart: Repair[] = [];
  for (const repair of repairs) {
    const before = apart.at(-1);
    if (before === undefined || repair.from > before.to) apart.push(repair);
  }
  return apart;
}
