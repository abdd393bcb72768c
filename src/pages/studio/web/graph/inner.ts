/**
 * Steps of flows drawn inside a step. Their ids contain the enclosing steps and the index of the inner flow at each
 * level: `work#0/ask`. They can be selected here and are edited in their own flow. Pure.
 */
import type { Card, Drawing } from './drawing.ts';

export interface Inner {
  /** Flow that contains the step. */
  flow: string;
  card: Card;
  /** Drawing of that flow. */
  drawing: Drawing;
  /** Step of the canvas in which it is drawn. */
  outer: string;
  /** Position and size on the canvas. */
  box: { x: number; y: number; width: number; height: number };
}

export const innerId = (around: string, index: number, step: string): string => `${around}#${index}/${step}`;

export function innerAt(canvas: Drawing, id: string): Inner | undefined {
  const around = id.split('/');
  const step = around.pop()!;
  let drawing = canvas;
  let flow = '';
  let [x, y, scale] = [0, 0, 1];
  for (const segment of around) {
    const [name = '', index] = segment.split('#');
    const card = drawing.cards.get(name);
    const opened = card?.opened[Number(index)];
    if (card === undefined || opened === undefined) return undefined;
    x += (card.x + opened.x) * scale;
    y += (card.y + opened.y) * scale;
    scale *= opened.scale;
    ({ drawing, flow } = opened);
  }
  const card = drawing.cards.get(step);
  if (card === undefined || around.length === 0) return undefined;
  const box = { x: x + card.x * scale, y: y + card.y * scale, width: card.width * scale, height: card.height * scale };
  return { flow, card, drawing, outer: around[0]!.split('#')[0]!, box };
}

/** Id of another step in the same inner flow. */
export const besideInner = (id: string, step: string): string => `${id.slice(0, id.lastIndexOf('/'))}/${step}`;

/** First step of the first flow drawn inside a step, which can itself be an inner one. */
export function firstInside(around: string, { opened }: Card): string | undefined {
  const [step] = opened[0]?.drawing.cards.keys() ?? [];
  return step === undefined ? undefined : innerId(around, 0, step);
}
