/** Lines below the cards. Lines of one style are a single path; highlighted lines are drawn last. */
import type { ReadonlySignal } from '@preact/signals';
import { memo } from '../shell/memo.ts';
import { type Drawing, exitId, type Wire } from './drawing.ts';
import { countOf, type Marks } from './marks.ts';
import { pathOf } from './wire-path.ts';

const paths = new WeakMap<Wire, string>();

function pathOfWire(wire: Wire): string {
  let path = paths.get(wire);
  if (path === undefined) {
    path = pathOf(wire.points);
    paths.set(wire, path);
  }
  return path;
}

export const Wires = memo(({ drawing, marks }: { drawing: Drawing; marks: Marks }) => {
  const bundles = new Map<string, string>();
  for (const wire of drawing.wires) {
    const look = lookOf(wire, drawing, marks);
    bundles.set(look, (bundles.get(look) ?? '') + pathOfWire(wire));
  }
  const standsOut = (look: string): number => Number(/walked|added|hit/.test(look));
  const sorted = [...bundles].sort(([one], [other]) => standsOut(one) - standsOut(other));
  return (
    <>
      {sorted.map(([look, path]) => (
        <path key={look} class={look} d={path} />
      ))}
    </>
  );
}, isSameLook);

/** Problems, breakpoints and live calls do not affect lines. */
function isSameLook(before: { drawing: Drawing; marks: Marks }, after: { drawing: Drawing; marks: Marks }): boolean {
  const { path, coverage, diff } = before.marks;
  return (
    before.drawing === after.drawing &&
    path === after.marks.path &&
    coverage === after.marks.coverage &&
    diff === after.marks.diff
  );
}

function lookOf({ from, outcome, kind, isBack }: Wire, { cards }: Drawing, { path, coverage, diff }: Marks): string {
  const look = ['wire', kind];
  if (isBack) look.push('back');
  const card = path || coverage ? cards.get(from) : undefined;
  const row = card?.rows.find((each) => each.outcome === outcome);
  if (path && card && row) look.push(countOf(path.exits, card, row) > 0 ? 'walked' : 'dim');
  if (coverage && card && row) look.push(countOf(coverage.exits, card, row) > 0 ? 'hit' : 'miss');
  const change = diff?.exits.get(exitId(from, outcome));
  if (change) look.push(change);
  return look.join(' ');
}

/** Lines of the selected card, in a component of its own: a new selection renders only these. */
export function NearWires({ drawing, selected }: { drawing: Drawing; selected: ReadonlySignal<string | undefined> }) {
  const name = selected.value;
  if (name === undefined) return null;
  const near = drawing.wires.filter(({ from, to }) => from === name || to === name);
  return near.length > 0 ? <path class="wire near" d={near.map(pathOfWire).join('')} /> : null;
}
