/**
 * Where a step can be added: the + at a line, the first card of an empty flow, the button above the canvas, and the
 * strip that says which letters choose an exit. The + at an exit is part of its card (`card.tsx`).
 */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { t, tNodes } from '../../../shared/web/words/translate.ts';
import { exitPicked } from './canvas-keys.ts';
import type { CanvasState } from './canvas-state.ts';
import type { Drawing } from './drawing.ts';
import type { EditCallbacks } from './edit-callbacks.ts';
import type { KeyTargets } from './key-targets.ts';
import { lineAt, type PointOnLine } from './line-at.ts';
import type { Viewport } from './viewport.ts';

type Add = NonNullable<EditCallbacks['onAdd']>;

/** Distance from a line, in px of the screen, at which its + is shown. */
const REACH = 9;

interface LinePlusProps {
  box: { readonly current: HTMLElement | null };
  drawing: Drawing;
  viewport: Viewport;
  onAdd: Add;
  /** Selects the line. */
  choose(line: { step: string; outcome: string }): void;
}

/** The + on the line below the pointer, or on the line that was tapped. */
export function LinePlus({ box, drawing, viewport, onAdd, choose }: LinePlusProps) {
  const shown = useSignal<PointOnLine | undefined>(undefined);
  useEffect(() => {
    const found = (event: PointerEvent | MouseEvent): void => {
      if (!(event.target instanceof Element) || event.buttons > 0) return;
      if (event.target.closest('.line-plus') !== null) return;
      const isOnGround = event.target.closest('.card, button, .defaults') === null;
      const point = viewport.pointAt(event.clientX, event.clientY);
      const at = isOnGround ? lineAt(drawing, point, REACH / viewport.view.scale) : undefined;
      const isEditable = at !== undefined && drawing.cards.get(at.edge.from)?.members === undefined;
      // The + stays where it first appeared on its line, so that the pointer can reach it.
      if (at?.edge !== shown.peek()?.edge) shown.value = isEditable ? at : undefined;
    };
    const ends = new AbortController();
    box.current?.addEventListener('pointermove', found, { signal: ends.signal });
    box.current?.addEventListener('click', found, { signal: ends.signal });
    shown.value = undefined;
    return () => ends.abort();
  }, [drawing]);
  if (shown.value === undefined) return null;
  const { edge, at } = shown.value;
  return (
    <button
      type="button"
      class="line-plus"
      tabIndex={-1}
      style={{ left: `${at[0]}px`, top: `${at[1]}px` }}
      aria-label={t('Add a step between {from} and {to}', { from: edge.from, to: edge.to })}
      title={t('Add a step between {from} and {to}', { from: edge.from, to: edge.to })}
      onClick={({ currentTarget, shiftKey, ctrlKey, metaKey }) => {
        if (shiftKey || ctrlKey || metaKey) choose({ step: edge.from, outcome: edge.outcome });
        else onAdd(edge.from, edge.outcome, currentTarget.getBoundingClientRect());
      }}
    />
  );
}

export const FirstStep = ({ onAdd }: { onAdd: Add | undefined }) =>
  onAdd === undefined ? (
    <p class="canvas-empty">{t('No steps yet.')}</p>
  ) : (
    <button
      type="button"
      class="first-step"
      onClick={({ currentTarget }) => onAdd(undefined, undefined, currentTarget.getBoundingClientRect())}
    >
      {tNodes('<i>+</i> What happens first?', { i: (part) => <i>{part}</i> })}
    </button>
  );

interface AddButtonProps {
  state: CanvasState;
  targets(): KeyTargets;
}

/** Adds a step after the selected one, or after the first one. */
export const AddButton = ({ state, targets }: AddButtonProps) => (
  <div class="canvas-add">
    <button type="button" class="button" aria-keyshortcuts="a" onClick={() => addAfterSelected(state, targets())}>
      {tNodes('<i>+</i> Add step', { i: (part) => <i>{part}</i> })}
    </button>
  </div>
);

function addAfterSelected(state: CanvasState, targets: KeyTargets): void {
  const { selected, shown, graph, callbacks, goTo } = targets;
  const name = selected.value ?? shown.start ?? shown.steps[0]?.name;
  const step = graph.steps.find((each) => each.name === name);
  if (step === undefined) {
    callbacks.onAdd?.(undefined, undefined);
    return;
  }
  const own = step.exits.filter((exit) => exit.own).map(({ outcome }) => outcome);
  if (own.length < 2 || state.isOutline.value) {
    exitPicked(step.name, own[0], 'add', targets);
    return;
  }
  goTo(step.name);
  state.pickExit(step.name, own, 'add');
}

/** Says what the letters on the exits or cards are for. */
export function PickStrip({ state }: { state: CanvasState }) {
  const picking = state.picking.value;
  if (picking === undefined) return null;
  const letters = [...picking.letters.values()];
  const question =
    picking.what === 'target'
      ? t('Where does {outcome} lead?', { outcome: picking.from.outcome })
      : picking.then === 'add'
        ? t('After which outcome?')
        : t('Which outcome leads elsewhere?');
  return (
    <p class="pick-strip">
      {question} <kbd>{letters[0]}</kbd> – <kbd>{letters.at(-1)}</kbd> <kbd>{t('Esc')}</kbd>
    </p>
  );
}
