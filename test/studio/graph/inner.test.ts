import { describe, expect, it } from 'vitest';
import { besideInner, firstInside, innerAt } from '../../../src/pages/studio/web/graph/inner.ts';
import { layOut } from '../../../src/pages/studio/web/graph/layout.ts';
import { textWidth } from '../../../src/pages/studio/web/graph/text-width.ts';
import { graphIn } from './flows.ts';

const inner = graphIn(
  'flow: inner\nstart: say\nsteps:\n  say: { play: Hello., next: more }\n  more: { subflow: deep, next: $end }\n',
);
const deep = graphIn('flow: deep\nstart: say\nsteps:\n  say: { play: Deep., next: $end }\n');
const outer = graphIn('flow: outer\nstart: run\nsteps:\n  run: { subflow: inner, next: $end }\n');
const drawing = layOut(outer, {
  measure: textWidth,
  openedIn: (path) => (path === 'run' ? [inner] : path === 'run/more' ? [deep] : []),
});

describe('steps of flows drawn inside a step', () => {
  it('are found by their enclosing steps, with their position on the canvas', () => {
    const found = innerAt(drawing, 'run#0/more')!;
    expect([found.flow, found.outer, found.card.step.name]).toEqual(['inner', 'run', 'more']);
    const around = drawing.cards.get('run')!;
    expect(found.box.x).toBeGreaterThan(around.x);
    expect(found.box.x + found.box.width).toBeLessThanOrEqual(around.x + around.width);
    expect(found.box.y + found.box.height).toBeLessThanOrEqual(around.y + around.height);
  });

  it('are distinguished from those of deeper flows with the same name', () => {
    expect(innerAt(drawing, 'run#0/more#0/say')?.flow).toBe('deep');
    expect(innerAt(drawing, 'run#0/say')?.flow).toBe('inner');
  });

  it('are removed when their step is closed', () => {
    for (const id of ['run', 'run#1/say', 'run#0/nothing', 'nothing#0/say'])
      expect(innerAt(drawing, id)).toBeUndefined();
  });

  it('are entered at the first one, and left for others of the same flow', () => {
    expect(firstInside('run', drawing.cards.get('run')!)).toBe('run#0/say');
    expect(firstInside('run#0/say', innerAt(drawing, 'run#0/say')!.card)).toBeUndefined();
    expect(besideInner('run#0/more#0/say', 'other')).toBe('run#0/more#0/other');
  });
});
