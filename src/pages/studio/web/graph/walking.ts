/**
 * Arrow keys in the graph: right follows the marked exit, left goes back, up and down go to the next card in the
 * column.
 */
import type { Card, CardRow, Drawing } from './drawing.ts';

export type Arrow = 'ArrowRight' | 'ArrowLeft' | 'ArrowUp' | 'ArrowDown';

/** A card, and the index of its marked exit. */
export interface CardExit {
  step: string;
  exit: number;
}

/** Target of the key. Undefined if there is none. `came` are the visited steps, the latest last. */
export function arrow(
  key: Arrow,
  { step, exit }: CardExit,
  drawing: Drawing,
  came: readonly string[],
): CardExit | undefined {
  const card = drawing.cards.get(step);
  if (card === undefined) return undefined;
  const to = (name: string | undefined): CardExit | undefined =>
    name !== undefined && drawing.cards.has(name) ? { step: name, exit: 0 } : undefined;
  if (key === 'ArrowRight') return to(card.rows[exit]?.target);
  if (key === 'ArrowLeft') return to(before(step, drawing, came));
  const by = key === 'ArrowDown' ? 1 : -1;
  const next = exit + by;
  if (next >= 0 && next < card.rows.length) return { step, exit: next };
  const neighbour = besides(card, drawing, by);
  if (neighbour === undefined) return undefined;
  return { step: neighbour.step.name, exit: by > 0 ? 0 : Math.max(0, neighbour.rows.length - 1) };
}

/** The previously visited step, else the first step with a line to this one, else the first with a chip. */
function before(step: string, drawing: Drawing, came: readonly string[]): string | undefined {
  const leadsHere = ({ target }: CardRow): boolean => target === step;
  const last = came.at(-1);
  if (last !== undefined && drawing.cards.get(last)?.rows.some(leadsHere)) return last;
  const line = drawing.edges.find(({ to, isBack }) => to === step && !isBack);
  return line?.from ?? [...drawing.cards.values()].find(({ rows }) => rows.some(leadsHere))?.step.name;
}

/** Next card in the column, upwards or downwards. */
function besides(card: Card, drawing: Drawing, by: 1 | -1): Card | undefined {
  let nearest: Card | undefined;
  for (const other of drawing.cards.values()) {
    if (other === card || other.x >= card.x + card.width || card.x >= other.x + other.width) continue;
    if (by * (other.y - card.y) <= 0) continue;
    if (nearest === undefined || by * (nearest.y - other.y) > 0) nearest = other;
  }
  return nearest;
}

/** Hints for picking by letters: `a` … `z`, or two letters if there are more than 26. */
export function hintsFor(names: readonly string[]): Map<string, string> {
  const letters = 'abcdefghijklmnopqrstuvwxyz';
  const length = names.length > letters.length ? 2 : 1;
  return new Map(
    names.slice(0, letters.length ** length).map((name, index) => {
      const last = letters[index % letters.length]!;
      return [name, length === 1 ? last : letters[Math.floor(index / letters.length)]! + last];
    }),
  );
}
