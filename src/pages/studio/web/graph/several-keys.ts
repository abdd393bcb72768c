/** Keys of the canvas that select several steps. `SEVERAL_KEYS` describes them for the user. */

import { t } from '../../../shared/web/words/translate.ts';
import type { KeyTargets } from './key-targets.ts';
import { chosenSteps, pickLine, pickLineByKey } from './line-picking.tsx';
import { type Arrow, arrow } from './walking.ts';

export const SEVERAL_KEYS: readonly (readonly [keys: string, does: string])[] = [
  ['Shift+ArrowRight', t('Select the next step, too (all arrows)')],
  ['Ctrl+a', t('Select all steps')],
  ['Ctrl+ArrowRight', t('Move without selecting (all arrows)')],
  ['Ctrl+Space', t('Add the step to the selection, or remove it')],
  ['m', t('Move the selected steps into a line')],
  ['s', t('Select a line by its letters, to paste into it')],
  ['Ctrl+g', t('Group the selected steps, or rename their group')],
  ['Ctrl+Shift+G', t('Take the selected steps out of their group')],
  ['Escape', t('Select one step again')],
];

/** Acts on the selected steps, by their keys with Ctrl. */
const ACTS: Readonly<Record<string, 'onDuplicate' | 'onGroup' | 'onUngroup'>> = {
  d: 'onDuplicate',
  g: 'onGroup',
  'Shift+g': 'onUngroup',
};

/** Returns true if the key was handled. */
export function pressSeveralKey(event: KeyboardEvent, targets: KeyTargets): boolean {
  const { several, graph, state, drawing, callbacks } = targets;
  if (several === undefined || event.altKey || state.picking.value !== undefined) return false;
  if (state.linePick.value !== undefined) return pickLineByKey(event, targets);
  const isCtrl = event.ctrlKey || event.metaKey;
  if (event.key === 'Escape' && several.steps.value.size > 0) {
    several.clear();
    return true;
  }
  if (isCtrl && !event.shiftKey && event.key.toLowerCase() === 'a') {
    const all = graph.steps.map(({ name }) => name);
    several.set(all, several.focused.peek() ?? all[0]);
    return true;
  }
  if (event.key === 'Escape' && state.line.value !== undefined) {
    state.line.value = undefined;
    return true;
  }
  const act = isCtrl ? ACTS[`${event.shiftKey ? 'Shift+' : ''}${event.key.toLowerCase()}`] : undefined;
  if (act !== undefined && callbacks[act] !== undefined) {
    const chosen = chosenSteps(targets);
    if (chosen.length > 0) callbacks[act](chosen);
    return true;
  }
  if (!isCtrl && event.key === 's' && callbacks.onPaste) {
    pickLine(targets, 'select', []);
    return true;
  }
  if (!isCtrl && event.key === 'm' && callbacks.onMove && several.names.length > 0) {
    pickLine(targets, 'move', chosenSteps(targets));
    return true;
  }
  if (several.steps.value.size > 0 && !isCtrl && ['x', 'Delete'].includes(event.key)) {
    callbacks.onDelete?.(several.names);
    return true;
  }
  const step = several.focused.value;
  if (step === undefined) return false;
  if (isCtrl && event.key === ' ') {
    several.toggle(drawing.cards.get(step)?.members ?? [step]);
    return true;
  }
  if (!event.key.startsWith('Arrow') || event.shiftKey === isCtrl) return false;
  const next = cardBeside(event.key as Arrow, step, targets);
  if (next === undefined) return true;
  if (event.shiftKey) several.add(drawing.cards.get(next)?.members ?? [next], next);
  else several.walk(next);
  return true;
}

/** The card in the direction of the key, past the exits of this one. */
function cardBeside(key: Arrow, step: string, { drawing, state }: KeyTargets): string | undefined {
  const last = Math.max(0, (drawing.cards.get(step)?.rows.length ?? 1) - 1);
  const exit = key === 'ArrowDown' ? last : key === 'ArrowUp' ? 0 : state.exit.value;
  return arrow(key, { step, exit }, drawing, state.came)?.step;
}
