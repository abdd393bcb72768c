/** Frames around the cards of groups that are not folded. Pure. */
import type { FlowGraph } from '../../../../language/flow/graph.ts';
import type { Card, Drawing } from './drawing.ts';

export interface GroupFrame {
  title: string;
  members: readonly string[];
  left: number;
  top: number;
  width: number;
  height: number;
  /** False if other cards stand between those of the group. */
  isClosed: boolean;
}

/** Room between a frame and its cards, in px of the drawing. */
const MARGIN = 13;

/** Frames of the sections whose steps are all drawn as cards of their own. */
export function framesOf(graph: FlowGraph, { cards }: Drawing): GroupFrame[] {
  const sections = new Map<string, Card[]>();
  const folded = new Set<string>();
  for (const { name, section } of graph.steps) {
    const title = section?.trim();
    if (!title) continue;
    const card = cards.get(name);
    if (card === undefined || card.members !== undefined) folded.add(title);
    else sections.set(title, [...(sections.get(title) ?? []), card]);
  }
  return [...sections]
    .filter(([title]) => !folded.has(title))
    .map(([title, own]) => {
      const members = own.map(({ step }) => step.name);
      const left = Math.min(...own.map(({ x }) => x)) - MARGIN;
      const top = Math.min(...own.map(({ y }) => y)) - MARGIN;
      const right = Math.max(...own.map(({ x, width }) => x + width)) + MARGIN;
      const bottom = Math.max(...own.map(({ y, height }) => y + height)) + MARGIN;
      const isClosed = [...cards.values()].every(
        (card) =>
          own.includes(card) ||
          card.x >= right ||
          card.x + card.width <= left ||
          card.y >= bottom ||
          card.y + card.height <= top,
      );
      const [first] = own;
      // Without a frame, the title stands above the first card.
      if (!isClosed) return { title, members, left: first!.x, top: first!.y, width: first!.width, height: 0, isClosed };
      return { title, members, left, top, width: right - left, height: bottom - top, isClosed };
    });
}
