/**
 * Completion, shown while the user types or on request. Arrow keys select, Enter accepts, Escape closes.
 * `completion.ts` provides the options.
 *
 * Invariant: an option is only accepted if it was visible for a moment, so that a quick Enter inserts a line break.
 */
import { type EditorState, type Extension, Prec, StateEffect, StateField } from '@codemirror/state';
import { type Command, EditorView, keymap, showTooltip, ViewPlugin, type ViewUpdate } from '@codemirror/view';
import type { CompletionOption } from '../../../../language/flow/text/completion.ts';
import { t } from '../../../shared/web/words/translate.ts';
import { rankOf } from '../shell/rank.ts';

export interface Proposals {
  /** Start of the text that the options replace. */
  from: number;
  /** Start of the word that the options must match. Default: `from`. */
  wordFrom?: number;
  options: readonly CompletionOption[];
}

/** `isAsked` is true if the user requested the completion with a key. */
export type ProposalSource = (state: EditorState, isAsked: boolean) => Proposals | undefined;

interface Shown extends Proposals {
  typed: string;
  chosen: number;
}

const MOST = 60;
const PAGE = 8;
const DELAY_MS = 100;
const MOMENT_MS = 75;

const show = StateEffect.define<Shown | undefined>();
const choose = StateEffect.define<number>();

/** Matching options, the best first. */
function shownOf(state: EditorState, found: Proposals | undefined): Shown | undefined {
  if (found === undefined) return undefined;
  const typed = state.sliceDoc(found.wordFrom ?? found.from, state.selection.main.head);
  const options = found.options
    .map((option) => ({ option, rank: rankOf(option.label, typed) }))
    .filter(({ rank }) => Number.isFinite(rank))
    .sort((one, other) => one.rank - other.rank)
    .slice(0, MOST)
    .map(({ option }) => option);
  return options.length === 0 ? undefined : { from: found.from, options, typed, chosen: 0 };
}

export function editorProposals(source: ProposalSource): Extension {
  const field = StateField.define<Shown | undefined>({
    create: () => undefined,
    update(shown, transaction) {
      let next = shown;
      if (transaction.docChanged && shown !== undefined) {
        const isTyped = transaction.isUserEvent('input.type') || transaction.isUserEvent('delete.backward');
        next = isTyped ? shownOf(transaction.state, source(transaction.state, false)) : undefined;
      } else if (transaction.selection !== undefined) next = undefined;
      for (const effect of transaction.effects) {
        if (effect.is(show)) next = effect.value;
        if (effect.is(choose) && next !== undefined) next = { ...next, chosen: effect.value };
      }
      return next;
    },
    provide: (own) => [
      showTooltip.computeN([own], (state) => {
        const shown = state.field(own);
        return [shown === undefined ? null : { pos: shown.from, create }];
      }),
      EditorView.contentAttributes.from(own, (shown) => ({
        'aria-autocomplete': 'list',
        'aria-haspopup': 'listbox',
        ...(shown !== undefined && { 'aria-controls': LIST_ID, 'aria-activedescendant': optionId(shown.chosen) }),
      })),
    ],
  });

  let shownSince = 0;
  const create = (view: EditorView) => {
    shownSince = performance.now();
    const dom = document.createElement('div');
    dom.className = 'cm-tooltip-autocomplete';
    dom.onmousedown = (event) => {
      const at = (event.target as Element).closest('li')?.dataset['at'];
      event.preventDefault();
      if (at !== undefined) take(view, Number(at));
    };
    const draw = (state: EditorState): void => {
      const shown = state.field(field);
      if (shown !== undefined) drawInto(dom, shown);
    };
    draw(view.state);
    return {
      dom,
      // Scrolls to the selected option once the tooltip is in the page.
      mount: () => draw(view.state),
      update: ({ state, startState }: ViewUpdate) => state.field(field) !== startState.field(field) && draw(state),
    };
  };

  function take(view: EditorView, index: number): boolean {
    const { state } = view;
    const shown = state.field(field);
    const option = shown?.options[index];
    if (shown === undefined || option === undefined) return false;
    const { head } = state.selection.main;
    const insert = option.insert ?? option.label;
    view.dispatch({
      changes: { from: shown.from, to: head, insert },
      selection: { anchor: shown.from + insert.length },
      userEvent: 'input.complete',
      scrollIntoView: true,
    });
    return true;
  }

  const ask: Command = (view) => {
    view.dispatch({ effects: show.of(shownOf(view.state, source(view.state, true))) });
    return true;
  };
  const close: Command = (view) => {
    if (view.state.field(field) === undefined) return false;
    view.dispatch({ effects: show.of(undefined) });
    return true;
  };
  const enter: Command = (view) => {
    const shown = view.state.field(field);
    return shown !== undefined && performance.now() - shownSince >= MOMENT_MS && take(view, shown.chosen);
  };
  const move =
    (by: number): Command =>
    (view) => {
      const shown = view.state.field(field);
      if (shown === undefined) return false;
      const last = shown.options.length - 1;
      const next = shown.chosen + by;
      // Single steps wrap around.
      const chosen =
        next >= 0 && next <= last ? next : Math.abs(by) > 1 ? Math.max(0, Math.min(last, next)) : next < 0 ? last : 0;
      view.dispatch({ effects: choose.of(chosen) });
      return true;
    };

  class Typing {
    #timer: ReturnType<typeof setTimeout> | undefined;

    update({ view, transactions, docChanged, state, focusChanged }: ViewUpdate): void {
      if (docChanged || (focusChanged && !view.hasFocus)) clearTimeout(this.#timer);
      const isTyped = transactions.some((each) => each.docChanged && each.isUserEvent('input.type'));
      if (!isTyped || state.field(field) !== undefined) return;
      this.#timer = setTimeout(() => {
        const shown = view.hasFocus ? shownOf(view.state, source(view.state, false)) : undefined;
        if (shown !== undefined) view.dispatch({ effects: show.of(shown) });
      }, DELAY_MS);
    }

    destroy(): void {
      clearTimeout(this.#timer);
    }
  }

  return [
    field,
    ViewPlugin.fromClass(Typing),
    EditorView.domEventHandlers({
      blur: (_, view) => void setTimeout(() => !view.hasFocus && close(view)),
    }),
    Prec.highest(
      keymap.of([
        { key: 'Ctrl-Space', run: ask },
        { mac: 'Alt-`', run: ask },
        { mac: 'Alt-i', run: ask },
        { key: 'Escape', run: close },
        { key: 'ArrowDown', run: move(1) },
        { key: 'ArrowUp', run: move(-1) },
        { key: 'PageDown', run: move(PAGE) },
        { key: 'PageUp', run: move(-PAGE) },
        { key: 'Enter', run: enter },
      ]),
    ),
  ];
}

const LIST_ID = 'cm-proposals';
const optionId = (index: number): string => `${LIST_ID}-${index}`;

function drawInto(dom: HTMLElement, { options, typed, chosen }: Shown): void {
  const list = document.createElement('ul');
  list.id = LIST_ID;
  list.role = 'listbox';
  list.ariaLabel = t('Proposals');
  for (const [index, { label, detail }] of options.entries()) {
    const item = document.createElement('li');
    item.id = optionId(index);
    item.role = 'option';
    item.dataset['at'] = String(index);
    if (index === chosen) item.ariaSelected = 'true';
    item.append(...markedOf(label, typed));
    if (detail !== undefined && detail !== '') item.append(spanOf('cm-completionDetail', detail));
    list.append(item);
  }
  const { info } = options[chosen]!;
  dom.replaceChildren(list);
  if (info !== undefined) {
    const box = document.createElement('div');
    box.className = 'cm-completionInfo';
    box.textContent = info;
    dom.append(box);
  }
  const item = list.children[chosen] as HTMLElement;
  list.scrollTop = Math.max(0, item.offsetTop - list.offsetTop - list.clientHeight / 2);
}

/** Label with the typed letters highlighted. */
function markedOf(label: string, typed: string): (Node | string)[] {
  const at = typed === '' ? -1 : label.toLowerCase().indexOf(typed.toLowerCase());
  if (at < 0) return [spanOf('cm-completionLabel', label)];
  const span = spanOf('cm-completionLabel', label.slice(0, at));
  span.append(spanOf('cm-completionMatchedText', label.slice(at, at + typed.length)), label.slice(at + typed.length));
  return [span];
}

function spanOf(className: string, text: string): HTMLElement {
  const span = document.createElement('span');
  span.className = className;
  span.textContent = text;
  return span;
}
