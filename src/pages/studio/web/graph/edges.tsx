/** Lines below the cards. Lines of one style are a single path; highlighted lines are drawn last. */
import type { ReadonlySignal } from '@preact/signals';
import { memo } from '../shell/memo.ts';
import { type Drawing, type DrawnEdge, exitId } from './drawing.ts';
import { pathOf } from './edge-path.ts';
import { GHOST } from './ghost.tsx';
import { countOf, type Overlays } from './overlays.ts';

const paths = new WeakMap<DrawnEdge, string>();

function pathOfEdge(edge: DrawnEdge): string {
  let path = paths.get(edge);
  if (path === undefined) {
    path = pathOf(edge.points);
    paths.set(edge, path);
  }
  return path;
}

export const Edges = memo(({ drawing, overlays }: { drawing: Drawing; overlays: Overlays }) => {
  const bundles = new Map<string, string>();
  for (const edge of drawing.edges) {
    const look = lookOf(edge, drawing, overlays);
    bundles.set(look, (bundles.get(look) ?? '') + pathOfEdge(edge));
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
function isSameLook(
  before: { drawing: Drawing; overlays: Overlays },
  after: { drawing: Drawing; overlays: Overlays },
): boolean {
  const { path, coverage, diff } = before.overlays;
  return (
    before.drawing.edges === after.drawing.edges &&
    path === after.overlays.path &&
    coverage === after.overlays.coverage &&
    diff === after.overlays.diff
  );
}

function lookOf(
  { from, outcome, to, kind, isBack }: DrawnEdge,
  { cards }: Drawing,
  { path, coverage, diff }: Overlays,
): string {
  const look = ['wire', kind];
  if (isBack) look.push('back');
  if (from === GHOST || to === GHOST) look.push('to-ghost');
  const card = path || coverage ? cards.get(from) : undefined;
  const row = card?.rows.find((each) => each.outcome === outcome);
  if (path && card && row) look.push(countOf(path.exits, card, row) > 0 ? 'walked' : 'dim');
  if (coverage && card && row) look.push(countOf(coverage.exits, card, row) > 0 ? 'hit' : 'miss');
  const change = diff?.exits.get(exitId(from, outcome));
  if (change) look.push(change);
  return look.join(' ');
}

/** Lines of the selected card, in a component of its own: a new selection renders only these. */
export function NearEdges({ drawing, selected }: { drawing: Drawing; selected: ReadonlySignal<string | undefined> }) {
  const name = selected.value;
  if (name === undefined) return null;
  const near = drawing.edges.filter(({ from, to }) => from === name || to === name);
  return near.length > 0 ? <path class="wire near" d={near.map(pathOfEdge).join('')} /> : null;
}
