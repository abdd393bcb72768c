import { describe, expect, it } from 'vitest';
import type { FlowGraph } from '../../../src/language/flow/graph.ts';
import { GraphSource } from '../../../src/language/flow/text/graph-source.ts';
import { fold, foldsOf, outermostSmall } from '../../../src/pages/studio/web/graph/folds.ts';
import { layOut } from '../../../src/pages/studio/web/graph/layout.ts';
import { sameLayout } from '../../../src/pages/studio/web/graph/same-layout.ts';
import { textWidth as measure } from '../../../src/pages/studio/web/graph/text-width.ts';
import { companyFlow } from './company-flow.ts';
import { graphIn, language, shippedFiles, textOf } from './flows.ts';

const again = (before: FlowGraph, after: FlowGraph) => sameLayout(layOut(before, { measure }), before, after, measure);

/** Changes of a text, and whether they move anything. */
const CHANGES: readonly (readonly [what: string, from: string, to: string, isSame: boolean])[] = [
  ['words of the same length', 'I cannot find that order.', 'I cannot see that order.', true],
  ['an argument that no card shows', 'attempts: 1', 'attempts: 1 # once', true],
  ['words that need a second line', 'Your order was delivered.', 'Your order was delivered. '.repeat(3).trim(), false],
  ['another target', 'next: goodbye', 'next: bye', false],
  ['another name', 'unknown', 'not_known', false],
];

describe('layout after a change of the text', () => {
  const text = textOf('flows/order-status.flow.yaml');
  const before = graphIn(text);

  it.each(CHANGES)('reuses the last one if nothing moves: %s', (_, from, to, isSame) => {
    const after = graphIn(text.replaceAll(from, to));
    const drawing = again(before, after);
    expect(drawing !== undefined).toBe(isSame);
    if (drawing !== undefined) expect(drawing).toEqual(layOut(after, { measure }));
  });

  it('equals a new layout for changed words in every shipped flow', () => {
    let reused = 0;
    for (const file of shippedFiles) {
      const graph = graphIn(textOf(file));
      for (const step of graph.steps) {
        for (const about of ['', 'Other words.', `${step.about}s`]) {
          const after = { ...graph, steps: graph.steps.map((each) => (each === step ? { ...step, about } : each)) };
          const drawing = again(graph, after);
          if (drawing === undefined) continue;
          reused += 1;
          expect(drawing).toEqual(layOut(after, { measure }));
        }
      }
    }
    expect(reused).toBeGreaterThan(200);
  });

  it('keeps the lines of the drawing, also with folded groups', () => {
    const folded = (flow: string): FlowGraph => {
      const graph = graphIn(flow);
      return fold(graph, outermostSmall(foldsOf(graph)));
    };
    const flow = companyFlow(130);
    const first = folded(flow);
    const drawing = layOut(first, { measure });
    const next = sameLayout(drawing, first, folded(flow.replace('Please choose.', 'Choose please.')), measure);
    expect(next?.edges).toBe(drawing.edges);
  });
});

describe('graph of a typed text', () => {
  const local = 'flows: { inner: { start: x, steps: { x: { return: done } } } }\n';
  const text = `# comment\nflow: t\nstart: a\n${local}steps:\n  a: { play: "Hi.", next: b }\n  b: { hangup: normal }\n`;

  it('stays the same object for a change that it does not show', () => {
    const source = new GraphSource({ verbs: language });
    const first = source.read(text);
    expect(source.read(text.replace('# comment', '# other'))).toBe(first);
  });

  it('becomes another object after other words, another inner flow or an error', () => {
    const source = new GraphSource({ verbs: language });
    const first = source.read(text);
    const words = source.read(text.replace('Hi.', 'Ho.'));
    expect(words.graph).not.toBe(first.graph);
    expect(words.graph.steps[1]).toBe(first.graph.steps[1]);
    const inner = source.read(text.replace('Hi.', 'Ho.').replace('start: x, steps: { x:', 'start: y, steps: { y:'));
    expect(inner.graph).toBe(words.graph);
    expect(inner.local('inner')?.start).toBe('y');
    const broken = source.read(`${text}  : [`);
    expect([broken.isCurrent, broken.graph]).toEqual([false, words.graph]);
    expect(source.read(text.replace('Hi.', 'Ho.')).isCurrent).toBe(true);
  });
});
