/**
 * Diagnostics in the text: underlined ranges, markers in the gutter, and tooltips with message and fixes, which open on
 * hover or on a press of the marker. `problems.ts` computes the ranges.
 */
import {
  type EditorState,
  type Extension,
  type Range as Placed,
  RangeSet,
  StateEffect,
  StateField,
} from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  EditorView,
  GutterMarker,
  gutter,
  hoverTooltip,
  showTooltip,
  type Tooltip,
} from '@codemirror/view';
import type { Problem, TextRepair } from '../../../../language/flow/text/problems.ts';
import type { Range } from '../../../../language/flow/text/text-edits.ts';

/** A problem with the function that applies its fix. */
export interface ShownProblem extends Pick<Problem, 'from' | 'to' | 'severity' | 'message' | 'hint' | 'repair'> {
  apply(repair: TextRepair): void;
}

export const showProblems = StateEffect.define<readonly ShownProblem[]>();
/** Problems of the line whose marker was pressed, and the position of their tooltip. */
interface Reading {
  at: number;
  problems: readonly ShownProblem[];
}

const read = StateEffect.define<Reading | undefined>();

interface Shown {
  problems: readonly ShownProblem[];
  underlined: DecorationSet;
  reading: Reading | undefined;
}

const shownField = StateField.define<Shown>({
  create: () => ({ problems: [], underlined: Decoration.none, reading: undefined }),
  update(before, { changes, docChanged, effects, selection, state }) {
    let { problems, underlined, reading } = before;
    if (docChanged) {
      const moved = <Part extends Range>(place: Part): Part => ({
        ...place,
        from: changes.mapPos(place.from),
        to: changes.mapPos(place.to),
      });
      problems = problems.map((each) => ({ ...moved(each), ...(each.repair && { repair: moved(each.repair) }) }));
      underlined = underlined.map(changes);
    }
    if (docChanged || selection !== undefined) reading = undefined;
    for (const effect of effects) {
      if (effect.is(read)) reading = effect.value;
      if (effect.is(showProblems)) {
        problems = effect.value;
        underlined = Decoration.set(
          problems.flatMap((each) => underlineOf(each, state)),
          true,
        );
        reading = undefined;
      }
    }
    return problems === before.problems && reading === before.reading ? before : { problems, underlined, reading };
  },
  provide: (field) => [
    EditorView.decorations.from(field, ({ underlined }) => underlined),
    showTooltip.from(field, ({ reading }) => (reading === undefined ? null : tooltipOf(reading))),
  ],
});

const UNDERLINES = {
  error: Decoration.mark({ class: 'cm-lintRange cm-lintRange-error' }),
  warning: Decoration.mark({ class: 'cm-lintRange cm-lintRange-warning' }),
};

/** Underlines at least one character, unless the line is empty. */
function underlineOf({ from, to, severity }: ShownProblem, { doc }: EditorState): Placed<Decoration>[] {
  const line = doc.lineAt(from);
  const end = Math.max(to, Math.min(from + 1, line.to));
  const start = end > from ? from : Math.max(line.from, from - 1);
  return end > start ? [UNDERLINES[severity].range(start, end)] : [];
}

function tooltipOf({ at, problems }: Reading): Tooltip {
  return {
    pos: at,
    end: Math.max(at, ...problems.map(({ to }) => to)),
    above: true,
    create: () => ({ dom: boxOf(problems) }),
  };
}

function boxOf(problems: readonly ShownProblem[]): HTMLElement {
  const box = document.createElement('ul');
  box.className = 'cm-tooltip-lint';
  for (const { severity, message, hint, repair, apply } of problems) {
    const item = document.createElement('li');
    item.className = `cm-diagnostic cm-diagnostic-${severity}`;
    item.append(hint === undefined ? message : `${message}\n${hint}`);
    if (repair !== undefined) {
      const button = document.createElement('button');
      button.type = 'button';
      button.className = 'cm-diagnosticAction';
      button.textContent = repair.title;
      button.onclick = () => apply(repair);
      item.append(button);
    }
    box.append(item);
  }
  return box;
}

const problemsAt = (state: EditorState, from: number, to: number): ShownProblem[] =>
  state.field(shownField).problems.filter((each) => each.from <= to && each.to >= from);

class Marker extends GutterMarker {
  readonly severity: Problem['severity'];
  readonly words: string;

  constructor(severity: Problem['severity'], words: string) {
    super();
    this.severity = severity;
    this.words = words;
  }

  override eq(other: Marker): boolean {
    return this.severity === other.severity && this.words === other.words;
  }

  override toDOM(): HTMLElement {
    const sign = document.createElement('span');
    sign.className = `cm-lint-marker cm-lint-marker-${this.severity}`;
    sign.textContent = this.severity === 'error' ? '!' : '?';
    sign.title = this.words;
    return sign;
  }
}

const SPACER = new Marker('error', '');

/** One marker for each line, with the highest severity in it. */
function markersIn({ state, state: { doc } }: EditorView): RangeSet<GutterMarker> {
  const byLine = new Map<number, ShownProblem[]>();
  for (const problem of state.field(shownField).problems) {
    const { from } = doc.lineAt(Math.min(problem.from, doc.length));
    byLine.set(from, [...(byLine.get(from) ?? []), problem]);
  }
  const marks = [...byLine].map(([from, found]) => {
    const severity = found.some((each) => each.severity === 'error') ? 'error' : 'warning';
    return new Marker(severity, found.map(({ message }) => message).join('\n')).range(from);
  });
  return RangeSet.of(marks, true);
}

const problemGutter = gutter({
  class: 'cm-gutter-lint',
  markers: markersIn,
  initialSpacer: () => SPACER,
  domEventHandlers: {
    click(view, { from, to }) {
      const problems = problemsAt(view.state, from, to);
      const at = problems[0]?.from;
      if (at === undefined) return false;
      const { reading } = view.state.field(shownField);
      view.dispatch({ effects: read.of(reading?.at === at ? undefined : { at, problems }) });
      return true;
    },
  },
});

const problemHover = hoverTooltip((view, at) => {
  const problems = problemsAt(view.state, at, at);
  return problems.length === 0 ? null : tooltipOf({ at: Math.min(...problems.map(({ from }) => from)), problems });
});

export const editorProblems: Extension = [shownField, problemGutter, problemHover];
