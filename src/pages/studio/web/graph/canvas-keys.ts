/** Keys of the canvas while it has the focus. `GRAPH_KEYS` describes them for the user. */

import { t } from '../../../shared/web/words/translate.ts';
import { type CanvasState, toggle } from './canvas-state.ts';
import { type Card, exitId } from './drawing.ts';
import { type Fold, outermostSmall } from './folds.ts';
import { besideInner, firstInside, type Inner, innerAt } from './inner.ts';
import type { KeyTargets } from './key-targets.ts';
import { pressSeveralKey, SEVERAL_KEYS } from './several-keys.ts';
import { type Arrow, arrow } from './walking.ts';
import { markWayIn } from './ways-in-rows.tsx';

export const GRAPH_KEYS: readonly (readonly [keys: string, does: string])[] = [
  ['ArrowRight', t('Follow the marked exit')],
  ['ArrowLeft', t('Go back to the previous step')],
  ['ArrowUp', t('Previous exit, then the card above')],
  ['ArrowDown', t('Next exit, then the card below')],
  ['Enter', t('Go into the text of the step')],
  ['e', t('Reconnect an exit: choose the exit, then its target')],
  ['a', t('Add a step after the marked exit')],
  ['w', t('Change the words that callers hear')],
  ['r', t('Rename the step everywhere')],
  ['n', t('Write a note at the step')],
  ['Shift+N', t('Write a note at the marked exit')],
  ['x', t('Delete the selected steps and reconnect their routes')],
  ['Ctrl+c', t('Copy the selected steps')],
  ['Ctrl+x', t('Cut the selected steps')],
  ['Ctrl+v', t('Paste steps into the selected line, or after the step')],
  ['Ctrl+d', t('Duplicate the selected steps')],
  ['f', t('Fold or unfold the group of the step; Enter shows the steps of a block alone, Escape goes out')],
  ['Shift+F', t('Fold or unfold all groups')],
  ['t', t('Next route into a folded group; the left arrow goes to its source')],
  ['i', t('Show the flows that the step runs, inside it')],
  ['j', t('Go to the steps inside it; Enter opens one in its own flow, Escape goes out')],
  ['0', t('Show the whole flow')],
  ['+', t('Zoom in')],
  ['-', t('Zoom out')],
  ['Shift+M', t('Show or hide the map')],
  ['o', t('Switch between graph and outline')],
  ['Shift+D', t('Show or hide default routes')],
  ['Home', t('Go to the start')],
  ...SEVERAL_KEYS,
];

const ZOOM_STEP = 1.2;

/** Returns true if the key was handled. */
export function pressKey(event: KeyboardEvent, targets: KeyTargets): boolean {
  if (pressSeveralKey(event, targets)) return true;
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  const { state, selected, shown, drawing } = targets;
  if (state.picking.value !== undefined) return pickByKey(event.key, targets);
  const inner = state.inner.value === undefined ? undefined : innerAt(drawing, state.inner.value);
  if (inner !== undefined && innerKey(event.key, state.inner.value!, inner, targets)) return true;
  const step = selected.value ?? shown.start ?? shown.steps[0]?.name;
  if (event.key.startsWith('Arrow')) return walk(event.key as Arrow, step, targets);
  const card = step === undefined ? undefined : drawing.cards.get(step);
  const run =
    (step !== undefined && card !== undefined ? stepKeys(step, targets)[event.key] : undefined) ??
    viewKeys(targets)[event.key];
  run?.();
  return run !== undefined;
}

function walk(key: Arrow, step: string | undefined, targets: KeyTargets): boolean {
  const { state, drawing, goTo, selected, notes } = targets;
  if (step === undefined) return false;
  const wayIn = state.wayIn.peek();
  if (key === 'ArrowLeft' && wayIn?.block === step && wayIn.source !== '') {
    goTo(wayIn.source);
    return true;
  }
  const next = arrow(key, { step, exit: state.exit.value }, drawing, state.came);
  if (next === undefined) return true;
  if (next.step !== step) {
    if (key === 'ArrowLeft') state.came.pop();
    else state.came.push(step);
  }
  if (next.step !== selected.value) goTo(next.step);
  state.exit.value = next.exit;
  const row = drawing.cards.get(next.step)?.rows[next.exit];
  if (next.step === step && row) {
    const words = t('{label} to {target}', { label: row.label, target: row.target || t('nothing yet') });
    const note = notes?.peek().get(exitId(step, row.outcome));
    state.said.value = note === undefined ? words : `${words}. ${t('note: {note}', { note })}`;
  }
  return true;
}

/** Keys while a step of an inner flow is selected. Only keys that change nothing have an effect. */
function innerKey(key: string, id: string, { card, drawing, flow, outer }: Inner, targets: KeyTargets): boolean {
  const { state, callbacks, goTo, goInside } = targets;
  const { name } = card.step;
  if (key.startsWith('Arrow')) {
    const next = arrow(key as Arrow, { step: name, exit: state.exit.value }, drawing, []);
    if (next === undefined) return true;
    if (next.step !== name) goInside(besideInner(id, next.step));
    state.exit.value = next.exit;
  } else if (key === 'Enter') callbacks.onOpenFlow?.(flow, name);
  else if (key === 'Escape') goTo(outer);
  else if (key === 'j') enter(id, card, targets);
  // Consume the editing keys, so that they do not edit the enclosing step.
  else return ['e', 'a', 'r', 'x', 'Delete', 'f', 'i', 'w'].includes(key);
  return true;
}

function enter(around: string, card: Card, { state, goInside }: KeyTargets): void {
  const first = firstInside(around, card);
  if (first === undefined) state.said.value = t('Nothing is shown inside {name}', { name: card.step.name });
  else goInside(first);
}

function stepKeys(step: string, targets: KeyTargets): Record<string, () => void> {
  const { callbacks, state, drawing, goTo } = targets;
  const card = drawing.cards.get(step)!;
  const { rows, members } = card;
  const outcomes = rows.filter(({ own }) => own).map(({ outcome }) => outcome);
  const pickExit = (then: 'retarget' | 'add'): void => {
    if (outcomes.length > 1) state.pickExit(step, outcomes, then);
    else exitPicked(step, outcomes[0], then, targets);
  };
  const keys: Record<string, () => void> = {
    Enter: () => (members ? goIn(card, targets) : callbacks.onOpen?.(step)),
    f: () => (members ? unfold(step, targets) : foldAround(step, targets)),
    i: () => {
      toggle(state.opened, step);
      goTo(step);
    },
    j: () => enter(step, card, targets),
  };
  if (members !== undefined) {
    keys['t'] = () => markWayIn(card, targets);
    if (state.wayIn.value !== undefined) keys['Escape'] = () => (state.wayIn.value = undefined);
    return keys;
  }
  if (callbacks.onRetarget) keys['e'] = () => pickExit('retarget');
  if (callbacks.onAdd) keys['a'] = () => pickExit('add');
  if (callbacks.onWords) keys['w'] = () => callbacks.onWords?.(step);
  if (callbacks.onNote) {
    const marked = rows[state.exit.value];
    keys['n'] = () => callbacks.onNote?.(step);
    if (marked?.own) keys['N'] = () => callbacks.onNote?.(step, marked.outcome);
  }
  if (callbacks.onRename) keys['r'] = () => callbacks.onRename?.(step);
  if (callbacks.onDelete) {
    keys['x'] = () => callbacks.onDelete?.([step]);
    keys['Delete'] = keys['x'];
  }
  return keys;
}

function viewKeys({ viewport, drawing, state, folds, shown, goTo, callbacks }: KeyTargets): Record<string, () => void> {
  return {
    '0': () => viewport.fit(drawing),
    '+': () => viewport.zoomAtMiddle(ZOOM_STEP),
    '=': () => viewport.zoomAtMiddle(ZOOM_STEP),
    '-': () => viewport.zoomAtMiddle(1 / ZOOM_STEP),
    M: () => state.toggleMap(drawing.cards.size),
    ...(state.inside.value.length > 0 && { Escape: () => goOut(state, folds(), goTo) }),
    o: () => {
      state.isOutline.value = !state.isOutline.value;
    },
    D: () => {
      state.withDefaults.value = !state.withDefaults.value;
    },
    F: () => foldAll(state, folds()),
    ...(shown.steps.length === 0 && { a: () => callbacks.onAdd?.(undefined, undefined) }),
    Home: () => {
      if (shown.start !== undefined) goTo(shown.start);
    },
  };
}

export function foldAll(state: CanvasState, folds: readonly Fold[]): void {
  state.folded.value = state.folded.value.size > 0 ? new Set() : new Set(outermostSmall(folds).map(({ id }) => id));
}

/** Folds the smallest group that contains the step. */
function foldAround(step: string, { folds, state, goTo }: KeyTargets): void {
  const around = folds()
    .filter(({ members }) => members.includes(step))
    .sort((one, other) => one.members.length - other.members.length)[0];
  if (around === undefined) {
    state.said.value = t('{step} is in no group', { step });
    return;
  }
  toggle(state.folded, around.id);
  state.said.value = t('{title} folded, {count, plural, one {# step} other {# steps}}', {
    title: around.title,
    count: around.members.length,
  });
  goTo(around.head);
}

export function unfold(head: string, { drawing, folds, state }: KeyTargets): void {
  const group = foldOf(drawing.cards.get(head), folds());
  if (group !== undefined) toggle(state.folded, group.id);
}

/** Group that a block stands for. */
const foldOf = (block: Card | undefined, folds: readonly Fold[]): Fold | undefined =>
  folds.find(({ head, members }) => head === block?.step.name && members.length === block.members?.length);

/** Shows the steps of a block alone. */
export function goIn(block: Card, { folds, state, goTo }: Pick<KeyTargets, 'folds' | 'state' | 'goTo'>): void {
  const group = foldOf(block, folds());
  if (group === undefined) return;
  state.inside.value = [...state.inside.value, group.id];
  state.said.value = t('{title}, {count, plural, one {# step} other {# steps}}. Escape goes out', {
    title: group.title,
    count: group.members.length,
  });
  goTo(group.head);
}

/** Leaves the innermost group that is shown, or as many that `depth` remain. */
export function goOut(
  state: CanvasState,
  folds: readonly Fold[],
  goTo: (step: string) => void,
  depth = state.inside.value.length - 1,
): void {
  const left = folds.find(({ id }) => id === state.inside.value[depth]);
  state.inside.value = state.inside.value.slice(0, depth);
  if (left !== undefined) goTo(left.head);
}

/** The exit is chosen: adds a step after it, or asks for its new target. */
export function exitPicked(
  step: string,
  outcome: string | undefined,
  then: 'retarget' | 'add',
  targets: KeyTargets,
): void {
  const { state, callbacks, inView } = targets;
  state.pick(undefined);
  if (then === 'add') callbacks.onAdd?.(step, outcome);
  else if (outcome !== undefined) state.pickTarget({ step, outcome }, inView());
}

/** Picks a card or an exit by the letters of its hint. */
function pickByKey(key: string, targets: KeyTargets): boolean {
  const { state, callbacks, drawing } = targets;
  const picking = state.picking.value!;
  if (key === 'Escape') {
    state.pick(undefined);
    state.said.value = t('Nothing was changed');
    return true;
  }
  if (!/^[a-z]$/i.test(key)) return false;
  const typed = (picking.what === 'target' ? picking.typed : '') + key.toLowerCase();
  const found = [...picking.letters].find(([, letters]) => letters === typed)?.[0];
  if (picking.what === 'exit') {
    if (found !== undefined) exitPicked(picking.step, found, picking.then, targets);
  } else if (found !== undefined) {
    state.pick(undefined);
    const target = drawing.cards.get(found)?.step.name ?? found;
    callbacks.onRetarget?.(picking.from.step, picking.from.outcome, target);
  } else {
    const left = [...picking.letters].filter(([, letters]) => letters.startsWith(typed));
    if (left.length > 0) state.pick({ ...picking, typed, letters: new Map(left) });
  }
  return true;
}
