/**
 * Find and replace, go to line, and other occurrences of the selection. `find-text.ts` searches.
 */
import { EditorSelection, type EditorState, type Extension, StateEffect, StateField } from '@codemirror/state';
import {
  type Command,
  Decoration,
  type DecorationSet,
  EditorView,
  type KeyBinding,
  type Panel,
  runScopeHandlers,
  showPanel,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view';
import { t } from '../../../shared/web/words/translate.ts';
import { type Match, matchesIn, NO_QUERY, type Query } from './find-text.ts';

interface Search {
  query: Query;
  panel?: 'find' | 'line';
}

const set = StateEffect.define<Search>();
const searchField = StateField.define<Search>({
  create: () => ({ query: NO_QUERY }),
  update: (search, { effects }) => effects.find((effect) => effect.is(set))?.value ?? search,
  provide: (field) =>
    showPanel.from(field, ({ panel }) => (panel === undefined ? null : panel === 'find' ? findPanel : linePanel)),
});

const searchOf = (state: EditorState): Search => state.field(searchField);
const allMatches = (state: EditorState, query = searchOf(state).query): Match[] => matchesIn(state.sliceDoc(), query);

function select(view: EditorView, { from, to }: { from: number; to: number }): true {
  view.dispatch({
    selection: { anchor: from, head: to },
    effects: EditorView.scrollIntoView(EditorSelection.range(from, to), { y: 'nearest', yMargin: 60 }),
    userEvent: 'select.search',
  });
  return true;
}

/** After the last match, continues with the first. */
const go =
  (by: 1 | -1): Command =>
  (view) => {
    const found = allMatches(view.state);
    if (found.length === 0) return openFind(view);
    const { from, to } = view.state.selection.main;
    const next =
      by === 1
        ? (found.find((match) => match.from >= to && match.to > from) ?? found[0])
        : (found.findLast((match) => match.to <= from) ?? found.at(-1));
    return select(view, next!);
  };
const findNext = go(1);
const findPrevious = go(-1);

const selectAll: Command = (view) => {
  const ranges = allMatches(view.state).map(({ from, to }) => EditorSelection.range(from, to));
  if (ranges.length === 0) return false;
  view.dispatch({ selection: EditorSelection.create(ranges), userEvent: 'select.search.matches' });
  return true;
};

/** Replaces the selected match and selects the next one. */
const replaceNext: Command = (view) => {
  const { from, to } = view.state.selection.main;
  const match = allMatches(view.state).find((each) => each.from === from && each.to === to);
  if (match !== undefined)
    view.dispatch({ changes: match, selection: { anchor: from + match.insert.length }, userEvent: 'input.replace' });
  return findNext(view);
};

const replaceAll: Command = (view) => {
  const changes = allMatches(view.state);
  view.dispatch({
    changes,
    userEvent: 'input.replace.all',
    effects: EditorView.announce.of(t('{count} replaced', { count: changes.length })),
  });
  return changes.length > 0;
};

const openFind: Command = (view) => {
  const { state } = view;
  const { from, to, empty } = state.selection.main;
  const selected = state.sliceDoc(from, to);
  const { query } = searchOf(state);
  const find = empty || selected.includes('\n') ? query.find : selected;
  view.dispatch({ effects: set.of({ panel: 'find', query: { ...query, find } }) });
  focusOn(view, t('Find'), find);
  return true;
};

const openLine: Command = (view) => {
  view.dispatch({ effects: set.of({ ...searchOf(view.state), panel: 'line' }) });
  focusOn(view, t('Go to line'));
  return true;
};

function focusOn(view: EditorView, label: string, value?: string): void {
  const input = view.dom.querySelector<HTMLInputElement>(`.cm-search [aria-label="${label}"]`);
  if (input === null) return;
  if (value !== undefined) input.value = value;
  input.select();
}

const closePanel: Command = (view) => {
  const { panel, query } = searchOf(view.state);
  if (panel === undefined) return false;
  view.dispatch({ effects: set.of({ query }) });
  view.focus();
  return true;
};

/** Other occurrences of the selection or of the word at the cursor. */
function sameAs(state: EditorState): Match[] {
  const { main } = state.selection;
  const { from, to } = main.empty ? (state.wordAt(main.head) ?? main) : main;
  return from === to
    ? []
    : allMatches(state, { ...NO_QUERY, find: state.sliceDoc(from, to).replaceAll('\\', '\\\\'), matchCase: true });
}

const selectNextSame: Command = (view) => {
  const { state } = view;
  const { ranges, main } = state.selection;
  const word = main.empty ? state.wordAt(main.head) : null;
  if (word !== null) return select(view, word);
  const found = sameAs(state).filter((match) => !ranges.some(({ from }) => from === match.from));
  const next = found.find(({ from }) => from >= main.to) ?? found[0];
  if (next === undefined) return false;
  view.dispatch({
    selection: state.selection.addRange(EditorSelection.range(next.from, next.to), true),
    effects: EditorView.scrollIntoView(next.to),
  });
  return true;
};

const selectAllSame: Command = (view) => {
  const ranges = sameAs(view.state).map(({ from, to }) => EditorSelection.range(from, to));
  if (ranges.length === 0) return false;
  view.dispatch({ selection: EditorSelection.create(ranges), userEvent: 'select.search.matches' });
  return true;
};

export const searchKeys: readonly KeyBinding[] = [
  { key: 'Mod-f', run: openFind, scope: 'editor search-panel' },
  { key: 'F3', run: findNext, shift: findPrevious, scope: 'editor search-panel', preventDefault: true },
  { key: 'Mod-g', run: findNext, shift: findPrevious, scope: 'editor search-panel', preventDefault: true },
  { key: 'Escape', run: closePanel, scope: 'editor search-panel' },
  { key: 'Mod-Shift-l', run: selectAllSame },
  { key: 'Mod-Alt-g', run: openLine },
  { key: 'Mod-d', run: selectNextSame, preventDefault: true },
];

function fieldOf(label: string, value: string, enter: (event: KeyboardEvent) => void): HTMLInputElement {
  const input = document.createElement('input');
  input.className = 'cm-textfield';
  input.ariaLabel = label;
  input.placeholder = label;
  input.value = value;
  input.onkeydown = (event) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    enter(event);
  };
  return input;
}

function buttonOf(words: string, press: () => void): HTMLButtonElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'cm-button';
  button.textContent = words;
  button.onclick = press;
  return button;
}

function panelOf(view: EditorView, ...parts: HTMLElement[]): Panel {
  const dom = document.createElement('div');
  dom.className = 'cm-search';
  const close = buttonOf('×', () => closePanel(view));
  close.name = 'close';
  close.ariaLabel = t('Close');
  dom.append(...parts, close);
  dom.onkeydown = (event) => {
    if (runScopeHandlers(view, event, 'search-panel')) event.preventDefault();
  };
  return { dom, top: true, mount: () => dom.querySelector('input')!.select() };
}

const BOX_WORDS = { matchCase: t('match case'), regexp: t('regexp'), byWord: t('by word') } as const;

function findPanel(view: EditorView): Panel {
  const { query } = searchOf(view.state);
  const find = fieldOf(t('Find'), query.find, ({ shiftKey }) => (shiftKey ? findPrevious : findNext)(view));
  const replace = fieldOf(t('Replace'), query.replace, () => replaceNext(view));
  const boxes = (['matchCase', 'regexp', 'byWord'] as const).map((name) => {
    const box = document.createElement('input');
    box.type = 'checkbox';
    box.checked = query[name];
    return { name, box };
  });
  const take = (): void => {
    const chosen = Object.fromEntries(boxes.map(({ name, box }) => [name, box.checked])) as Omit<
      Query,
      'find' | 'replace'
    >;
    view.dispatch({
      effects: set.of({ panel: 'find', query: { find: find.value, replace: replace.value, ...chosen } }),
    });
  };
  find.oninput = take;
  replace.oninput = take;
  const labels = boxes.map(({ name, box }) => {
    box.onchange = take;
    const label = document.createElement('label');
    label.append(box, ` ${BOX_WORDS[name]}`);
    return label;
  });
  const parts: HTMLElement[] = [
    find,
    buttonOf(t('next'), () => findNext(view)),
    buttonOf(t('previous'), () => findPrevious(view)),
    buttonOf(t('all'), () => selectAll(view)),
    ...labels,
  ];
  if (!view.state.readOnly) {
    parts.push(
      document.createElement('br'),
      replace,
      buttonOf(t('replace'), () => replaceNext(view)),
      buttonOf(t('replace all'), () => replaceAll(view)),
    );
  }
  return panelOf(view, ...parts);
}

/** Go to a line: a number, a relative number (`+3`), or a line with a column (`12:5`). */
function linePanel(view: EditorView): Panel {
  const jump = (): void => {
    const [, sign, number, column] = /^([+-])?(\d+)(?::(\d+))?$/.exec(input.value.trim()) ?? [];
    if (number === undefined) return;
    const { doc, selection } = view.state;
    const now = doc.lineAt(selection.main.head).number;
    const wanted = sign === undefined ? Number(number) : now + (sign === '+' ? 1 : -1) * Number(number);
    const line = doc.line(Math.max(1, Math.min(doc.lines, wanted)));
    closePanel(view);
    const at = line.from + Math.max(0, Math.min(Number(column ?? 1) - 1, line.length));
    select(view, { from: at, to: at });
  };
  const input = fieldOf(t('Go to line'), String(view.state.doc.lineAt(view.state.selection.main.head).number), jump);
  return panelOf(view, input, buttonOf(t('go'), jump));
}

const FOUND = Decoration.mark({ class: 'cm-searchMatch' });
const CHOSEN = Decoration.mark({ class: 'cm-searchMatch cm-searchMatch-selected' });
const SAME = Decoration.mark({ class: 'cm-selectionMatch' });
const LEAST_SELECTED = 2;
const MAX_SELECTED = 200;

class Highlighting {
  decorations: DecorationSet;

  constructor(view: EditorView) {
    this.decorations = marksIn(view);
  }

  update({ view, docChanged, selectionSet, viewportChanged, startState, state }: ViewUpdate): void {
    const isNew = searchOf(startState) !== searchOf(state);
    if (isNew || docChanged || selectionSet || viewportChanged) this.decorations = marksIn(view);
  }
}

function marksIn({ state, visibleRanges }: EditorView): DecorationSet {
  const { query, panel } = searchOf(state);
  const { main, ranges } = state.selection;
  const selected = state.sliceDoc(main.from, main.to);
  const isFinding = panel === 'find' && query.find !== '';
  const isSame = selected.length >= LEAST_SELECTED && selected.length <= MAX_SELECTED && selected.trim() !== '';
  if (!isFinding && !isSame) return Decoration.none;
  const wanted = isFinding ? query : { ...NO_QUERY, find: selected.replaceAll('\\', '\\\\'), matchCase: true };
  const text = state.sliceDoc();
  const marks = visibleRanges.flatMap(({ from, to }) =>
    matchesIn(text, wanted, state.doc.lineAt(from).from, to).flatMap((match) => {
      const isSelected = ranges.some((range) => range.from === match.from && range.to === match.to);
      if (isFinding) return [(isSelected ? CHOSEN : FOUND).range(match.from, match.to)];
      return isSelected ? [] : [SAME.range(match.from, match.to)];
    }),
  );
  return Decoration.set(marks, true);
}

export const editorSearch: Extension = [
  searchField,
  ViewPlugin.fromClass(Highlighting, { decorations: ({ decorations }) => decorations }),
];
