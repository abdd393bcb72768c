import { describe, expect, it } from 'vitest';
import { GraphSource } from '../../../src/language/flow/text/graph-source.ts';
import { diffOf } from '../../../src/pages/studio/web/graph/diff.ts';
import { fold, foldsOf } from '../../../src/pages/studio/web/graph/folds.ts';
import { layOut } from '../../../src/pages/studio/web/graph/layout.ts';
import {
  countOf,
  liveAt,
  type Overlays,
  overlayKey,
  type StepProblem,
  saidOf,
} from '../../../src/pages/studio/web/graph/overlays.ts';
import { textWidth } from '../../../src/pages/studio/web/graph/text-width.ts';
import { type Arrow, arrow, hintsFor } from '../../../src/pages/studio/web/graph/walking.ts';
import { companyFlow } from './company-flow.ts';
import { graphIn, language, textOf } from './flows.ts';

const order = textOf('flows/order-status.flow.yaml');
const drawing = layOut(graphIn(order), { measure: textWidth });

describe('arrow keys on the canvas', () => {
  it.each([
    ['follow the marked exit', 'ArrowRight', { step: 'look_up', exit: 1 }, [], { step: 'unknown', exit: 0 }],
    ['go where chips lead, too', 'ArrowRight', { step: 'shipped', exit: 0 }, [], { step: 'goodbye', exit: 0 }],
    [
      'go back to where one came from',
      'ArrowLeft',
      { step: 'goodbye', exit: 0 },
      ['shipped'],
      { step: 'shipped', exit: 0 },
    ],
    [
      'go back along a line without that',
      'ArrowLeft',
      { step: 'look_up', exit: 0 },
      [],
      { step: 'ask_order', exit: 0 },
    ],
    ['go through the exits', 'ArrowDown', { step: 'look_up', exit: 1 }, [], { step: 'look_up', exit: 2 }],
    ['go on to the card below', 'ArrowDown', { step: 'by_state', exit: 2 }, [], { step: 'unknown', exit: 0 }],
    [
      'go up to the last exit of the card above',
      'ArrowUp',
      { step: 'unknown', exit: 0 },
      [],
      { step: 'by_state', exit: 2 },
    ],
    ['stop at the end', 'ArrowRight', { step: 'bye', exit: 0 }, [], undefined],
    ['stop at a step that went', 'ArrowRight', { step: 'nobody', exit: 0 }, [], undefined],
  ] as const)('moves the selection: %s', (_, key, at, came, to) =>
    expect(arrow(key as Arrow, at, drawing, came)).toEqual(to),
  );

  it('reaches every step of a big flow', () => {
    const big = layOut(graphIn(companyFlow(130)), { measure: textWidth });
    const seen = new Set(['hours 0']);
    for (const place of seen) {
      const [step = '', exit] = place.split(' ');
      for (const key of ['ArrowRight', 'ArrowDown', 'ArrowUp'] as const) {
        const next = arrow(key, { step, exit: Number(exit) }, big, []);
        if (next !== undefined) seen.add(`${next.step} ${next.exit}`);
      }
    }
    expect(new Set([...seen].map((place) => place.split(' ')[0]))).toEqual(new Set(big.cards.keys()));
  });
});

describe('letter hints on the canvas', () => {
  it('are letters, and pairs of letters where there are too few', () => {
    expect([...hintsFor(['x', 'y'])]).toEqual([
      ['x', 'a'],
      ['y', 'b'],
    ]);
    const many = hintsFor(Array.from({ length: 60 }, (_, index) => `s${index}`));
    expect(many.get('s0')).toBe('aa');
    expect(many.get('s27')).toBe('bb');
    expect(new Set(many.values()).size).toBe(60);
  });
});

describe('overlays on the canvas', () => {
  const card = drawing.cards.get('look_up')!;
  it('counts a row by the more exact data of the journal', () => {
    const exits = new Map([
      ['look_up failed.timeout', 2],
      ['look_up failed.5xx', 1],
      ['look_up ok', 4],
      ['other failed.timeout', 9],
    ]);
    expect(card.rows.map((row) => [row.outcome, countOf(exits, card, row)])).toEqual([
      ['ok', 4],
      ['not_found', 0],
      ['failed', 3],
    ]);
  });

  it('are the same object for a card whose overlays are unchanged', () => {
    const path = (now: string) => ({
      path: { steps: new Map([['look_up', 1]]), exits: new Map<string, number>(), now },
    });
    expect(overlayKey(path('bye'), card)).toBe(overlayKey(path('shipped'), card));
    expect(overlayKey(path('bye'), card)).not.toBe(overlayKey(path('look_up'), card));
    expect(overlayKey(path('bye'), card)).not.toBe(overlayKey({}, card));
  });
});

describe('a folded block', () => {
  it('combines the overlays of its steps', () => {
    const company = graphIn(companyFlow(130));
    const folded = fold(
      company,
      foldsOf(company).filter(({ id }) => id === 'step billing_menu'),
    );
    const block = layOut(folded, { measure: textWidth }).cards.get('billing_hello')!;
    const steps = new Map([
      ['billing_ask', 2],
      ['billing_look_up', 1],
      ['orders_ask', 5],
    ]);
    const problem: StepProblem = { severity: 'error', message: 'there is no step' };
    const overlays: Overlays = {
      path: { steps, exits: new Map(), now: 'billing_look_up' },
      coverage: { steps: new Map(), exits: new Map() },
      problems: new Map<string, StepProblem>([
        ['billing_new', { severity: 'warning', message: 'dead air' }],
        ['billing_ring', problem],
      ]),
      diff: { steps: new Map([['billing_done', 'added']]), exits: new Map() },
      breakpoints: new Set(['orders_ask']),
    };
    expect(saidOf(overlays, block)).toEqual({
      comments: 0,
      people: [],
      visits: 3,
      isNow: true,
      isTested: false,
      problem,
      change: 'changed',
      changeWord: 'changed',
      hasBreakpoint: false,
    });
    expect(liveAt(steps, block)).toBe(3);
    const walked = new Map([
      ['billing_ask limit', 1],
      ['billing_look_up ok', 4],
      ['billing_ring failed.busy', 2],
    ]);
    expect(block.rows.map((row) => [row.target, countOf(walked, block, row)])).toEqual([
      ['main_1', 0],
      ['bye', 0],
      ['operator', 3],
      ['voicemail', 0],
    ]);
    expect(overlayKey(overlays, block)).not.toBe(overlayKey({}, block));
  });
});

describe('two versions in one graph', () => {
  it('keeps the removed steps and edges, and overlays the added ones', () => {
    const after = order
      .replace('exits: { ok: by_state, not_found: unknown,', 'exits: { ok: by_state, not_found: no_answer,')
      .replace('  preparing: {', '  packing: {')
      .replace('- { else: preparing }', '- { else: packing }');
    const { graph, overlays } = diffOf(graphIn(order), graphIn(after));
    expect([...overlays.steps].sort()).toEqual([
      ['by_state', 'changed'],
      ['look_up', 'changed'],
      ['packing', 'added'],
      ['preparing', 'removed'],
    ]);
    expect([...overlays.exits].filter(([id]) => id.startsWith('look_up'))).toEqual([
      ['look_up not_found', 'added'],
      ['look_up not_found (before)', 'removed'],
    ]);
    const both = layOut(graph, { measure: textWidth });
    expect(both.cards.get('look_up')!.rows.map(({ label, target }) => [label, target])).toEqual([
      ['ok', 'by_state'],
      ['not_found', 'no_answer'],
      ['not_found', 'unknown'],
      ['failed', 'no_answer'],
    ]);
    expect(both.cards.has('preparing')).toBe(true);
  });

  it('overlays nothing in equal versions', () => {
    const { graph, overlays } = diffOf(graphIn(order), graphIn(`# A remark.\n${order}`));
    expect(graph.steps.map(({ name }) => name)).toEqual(graphIn(order).steps.map(({ name }) => name));
    expect([overlays.steps.size, overlays.exits.size]).toEqual([0, 0]);
  });
});

describe('a text during typing', () => {
  it('has the flows in its file, with the prompts of the file', () => {
    const source = new GraphSource({ verbs: language });
    const text = `flow: shop
prompts: { hello: "Good day" }
start: a
steps:
  a: { subflow: { flow: greet }, next: b }
  b: { hangup: normal }
flows:
  greet:
    start: say
    steps:
      say: { play: { prompt: hello }, next: bye }
      bye: { return: { outcome: done } }
`;
    const { graph, local } = source.read(text);
    expect(graph.steps[0]!.opens).toEqual(['greet']);
    expect(local('greet')!.steps.map(({ name, about }) => [name, about])).toEqual([
      ['say', 'Good day'],
      ['bye', 'done'],
    ]);
    expect(local('shop') ?? local('toString')).toBeUndefined();
    // While it is incomplete the drawing stays, inside too.
    expect(source.read(text.replace('a: { subflow', 'a: { { subflow'))).toMatchObject({
      graph,
      local,
      isCurrent: false,
    });
  });

  it('keeps its last valid graph while it has errors, and has a graph from the first character on', () => {
    const source = new GraphSource({ verbs: language });
    expect(source.read('fl').graph.steps).toEqual([]);
    const sound = source.read(order);
    expect(sound.isCurrent).toBe(true);
    const broken = source.read(order.replace('exits: {', 'exits: { {'));
    expect(broken).toMatchObject({ graph: sound.graph, isCurrent: false });
    expect(new GraphSource({ verbs: language }).read(order.replace('exits: {', 'exits: { {')).isCurrent).toBe(false);
  });
});
