import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FlowGraph, GraphExit } from '../../../src/language/flow/graph.ts';
import type { Card, Drawing } from '../../../src/pages/studio/web/graph/drawing.ts';
import { exportSvg, flowInSvg } from '../../../src/pages/studio/web/graph/export-svg.ts';
import { layOut } from '../../../src/pages/studio/web/graph/layout.ts';
import { pagesOf } from '../../../src/pages/studio/web/graph/print-pages.ts';
import { textWidth } from '../../../src/pages/studio/web/graph/text-width.ts';
import { companyFlow } from './company-flow.ts';
import { graphIn, shippedFiles, textOf } from './flows.ts';

const measure = textWidth;

const overlaps = (one: Card, other: Card): boolean =>
  one.x < other.x + other.width &&
  other.x < one.x + one.width &&
  one.y < other.y + other.height &&
  other.y < one.y + one.height;

/** True if a segment of a edge, horizontal or vertical, passes through a card. */
function crosses([x1, y1]: readonly [number, number], [x2, y2]: readonly [number, number], card: Card): boolean {
  const inside = 0.5;
  return (
    Math.max(x1, x2) > card.x + inside &&
    Math.min(x1, x2) < card.x + card.width - inside &&
    Math.max(y1, y2) > card.y + inside &&
    Math.min(y1, y2) < card.y + card.height - inside
  );
}

/** Overlapping vertical segments of edges to different steps, which a reader could not distinguish. */
function sharedStretches({ edges }: Drawing): string[] {
  const upright = edges.flatMap(({ from, outcome, to, isBack, points }) =>
    points.slice(1).flatMap(([x, y], index) => {
      const [beforeX, beforeY] = points[index]!;
      if (x !== beforeX || y === beforeY) return [];
      return [
        { x, top: Math.min(y, beforeY), bottom: Math.max(y, beforeY), to: `${to} ${isBack}`, id: `${from} ${outcome}` },
      ];
    }),
  );
  return upright.flatMap((one, index) =>
    upright
      .slice(index + 1)
      .filter((other) => other.x === one.x && other.to !== one.to && other.top < one.bottom && one.top < other.bottom)
      .map((other) => `${one.id} runs on ${other.id}`),
  );
}

/** Returns the violations of rules that every drawing must satisfy. */
function faultsOf(graph: FlowGraph, drawing: Drawing, withDefaults = false): string[] {
  const faults: string[] = [];
  const cards = [...drawing.cards.values()];
  for (const [index, card] of cards.entries()) {
    for (const other of cards.slice(index + 1))
      if (overlaps(card, other)) faults.push(`${card.step.name} on ${other.step.name}`);
    if (card.x < 0 || card.y < 0 || card.x + card.width > drawing.width || card.y + card.height > drawing.height)
      faults.push(`${card.step.name} is outside`);
  }
  const lined = new Set<string>();
  for (const { from, outcome, to, points } of drawing.edges) {
    const id = `${from} ${outcome}`;
    if (lined.has(id)) faults.push(`${id} has two lines`);
    lined.add(id);
    const source = drawing.cards.get(from)!;
    const target = drawing.cards.get(to)!;
    const row = source.rows.find((each) => each.outcome === outcome)!;
    const [start, end] = [points[0]!, points.at(-1)!];
    if (start[0] !== source.x + source.width || start[1] !== source.y + row.y)
      faults.push(`${id} begins beside its row`);
    if (end[0] !== target.x || end[1] < target.y || end[1] > target.y + target.height)
      faults.push(`${id} ends beside ${to}`);
    for (const [index, point] of points.slice(1).entries()) {
      const before = points[index]!;
      if (Math.abs(before[0] - point[0]) > 0.5 && Math.abs(before[1] - point[1]) > 0.5) faults.push(`${id} is slanted`);
      for (const card of cards) if (crosses(before, point, card)) faults.push(`${id} crosses ${card.step.name}`);
    }
    if (points.some(([x, y]) => x < 0 || y < 0 || x > drawing.width || y > drawing.height))
      faults.push(`${id} runs outside`);
  }
  faults.push(...sharedStretches(drawing));
  for (const step of graph.steps) {
    const card = drawing.cards.get(step.name)!;
    for (const exit of step.exits) {
      const row = card.rows.find(({ outcome }) => outcome === exit.outcome);
      if (!exit.own && !withDefaults) continue;
      if (row === undefined) faults.push(`${step.name} ${exit.outcome} has no row`);
      else if ((row.chip === undefined) !== lined.has(`${step.name} ${exit.outcome}`))
        faults.push(`${step.name} ${exit.outcome} is lost`);
      else if (!card.isLone && (row.y < 38 || row.y > card.height))
        faults.push(`${step.name} ${exit.outcome} is outside its card`);
    }
  }
  return faults;
}

/** Random graphs of numbered steps with exits to each other, to the end, without a target, or to missing steps. */
const graphs = (most: number): fc.Arbitrary<FlowGraph> =>
  fc
    .array(
      fc.record({
        exits: fc.array(fc.record({ to: fc.nat(most + 3), own: fc.boolean(), kind: fc.nat(3) }), { maxLength: 7 }),
        about: fc.constantFrom('', 'Hello.', 'A text that is so long that it needs more than one line of the card.'),
        badges: fc.constantFrom([], ['3 tries', '6 digits']),
      }),
      { minLength: 1, maxLength: most },
    )
    .chain((steps) =>
      fc.record({ steps: fc.constant(steps), start: fc.nat(steps.length), event: fc.nat(steps.length) }),
    )
    .map(({ steps, start, event }): FlowGraph => {
      const name = (index: number): string =>
        index < steps.length ? `s${index}` : index % 3 === 0 ? '$end' : index % 3 === 1 ? '' : 'missing';
      return {
        name: 'random',
        start: `s${start}`,
        events: { 'dtmf.0': `s${event}` },
        defaults: { error: 's0' },
        steps: steps.map(({ exits, about, badges }, index) => ({
          name: `s${index}`,
          verb: 'menu',
          group: 'ask',
          about,
          badges: [...badges],
          sensitive: false,
          line: index,
          exits: exits.map(
            ({ to, own, kind }, at): GraphExit => ({
              outcome: `${['go', 'failed', 'limit', 'error'][kind]}.${at}`,
              target: name(to),
              own,
              covers: [],
            }),
          ),
        })),
      };
    });

/** Horizontal segments of edges to different steps that overlap or are too close to distinguish. */
function sharedLevels({ edges }: Drawing): string[] {
  const level = edges.flatMap(({ from, outcome, to, points }) =>
    points.slice(1).flatMap(([x, y], index) => {
      const before = points[index]!;
      return y === before[1]
        ? [{ y, left: Math.min(x, before[0]), right: Math.max(x, before[0]), to, id: `${from} ${outcome}` }]
        : [];
    }),
  );
  return level.flatMap((one, index) =>
    level
      .slice(index + 1)
      .filter(
        (other) =>
          other.to !== one.to &&
          Math.abs(other.y - one.y) < 2.5 &&
          other.left < one.right - 1 &&
          one.left < other.right - 1,
      )
      .map((other) => `${one.id} runs on ${other.id}`),
  );
}

describe('the layout', () => {
  it.each([
    ['small flows', graphs(9), 400],
    ['flows of medium size', graphs(24), 150],
    ['big flows', graphs(60), 60],
  ])('has no overlap, no line through a card and no lost exit: %s', (_, any, numRuns) => {
    fc.assert(
      fc.property(any, fc.boolean(), (graph, withDefaults) => {
        const drawing = layOut(graph, { measure, withDefaults });
        expect(faultsOf(graph, drawing, withDefaults)).toEqual([]);
        expect(layOut(structuredClone(graph), { measure, withDefaults })).toEqual(drawing);
      }),
      { numRuns },
    );
  });

  it.each(shippedFiles)('draws %s as it did', async (file) => {
    const graph = graphIn(textOf(file));
    const drawing = layOut(graph, { measure });
    expect([...faultsOf(graph, drawing), ...sharedLevels(drawing)]).toEqual([]);
    const picture = exportSvg(graph, drawing);
    await expect(picture).toMatchFileSnapshot(`drawings/${graph.name}.svg`);
  });

  it('draws flows that a step runs inside its card, and those within them', () => {
    const inner = graphIn(
      'flow: inner\nstart: a\nsteps:\n  a: { play: "Hi.", next: b }\n  b: { subflow: leaf, next: $end }\n',
    );
    const leaf = graphIn('flow: leaf\nstart: x\nsteps:\n  x: { play: "Leaf.", next: y }\n  y: { hangup: normal }\n');
    const graph = graphIn(
      'flow: outer\nstart: p\nsteps:\n  p: { parallel: { branches: { one: inner, two: leaf } }, exits: { done: q, error: q } }\n  q: { play: "Done.", next: r }\n  r: { hangup: normal }\n',
    );
    const flows = new Map([
      ['p', [inner, leaf]],
      ['p/b', [leaf]],
    ]);
    const drawing = layOut(graph, { measure, openedIn: (path) => flows.get(path) ?? [] });
    expect(faultsOf(graph, drawing)).toEqual([]);
    const card = drawing.cards.get('p')!;
    expect(card.opened.map(({ flow }) => flow)).toEqual(['inner', 'leaf']);
    expect(card.opened[0]!.drawing.cards.get('b')!.opened.map(({ flow }) => flow)).toEqual(['leaf']);
    for (const { x, y, scale, drawing: inside } of card.opened) {
      expect(x + inside.width * scale).toBeLessThanOrEqual(card.width);
      expect(y + inside.height * scale).toBeLessThan(card.rows[0]!.y);
    }
  });

  it('stops where flows open each other', () => {
    const graph = graphIn('flow: loop\nstart: a\nsteps:\n  a: { subflow: loop, next: $end }\n');
    const depthOf = (drawing: Drawing): number =>
      1 +
      Math.max(0, ...[...drawing.cards.values()].flatMap(({ opened }) => opened.map((each) => depthOf(each.drawing))));
    expect(depthOf(layOut(graph, { measure, openedIn: () => [graph] }))).toBe(4);
  });

  it('keeps the nearest of many lines to one step, and none of a crowd', () => {
    const flow = (count: number) =>
      `flow: crowd\nstart: s0\nsteps:\n${Array.from({ length: count }, (_, index) => `  s${index}: { schedule: x, exits: { open: s${index + 1}, closed: bye, holiday: bye } }`).join('\n')}\n  s${count}: { hangup: normal }\n  bye: { hangup: normal }\n`;
    const into = (count: number) =>
      layOut(graphIn(flow(count)), { measure }).edges.filter(({ to }) => to === 'bye').length;
    expect([into(2), into(3), into(5)]).toEqual([4, 1, 0]);
  });

  it('draws ways back as lines in small flows, and as chips in big ones', () => {
    const flow = (count: number) =>
      `flow: back\nstart: s0\nsteps:\n${Array.from({ length: count }, (_, index) => `  s${index}: { schedule: x, exits: { open: s${index + 1}, closed: s0 } }`).join('\n')}\n  s${count}: { hangup: normal }\n`;
    const small = layOut(graphIn(flow(4)), { measure });
    expect(small.edges.filter(({ isBack }) => isBack)).toHaveLength(4);
    const big = layOut(graphIn(flow(30)), { measure });
    expect(big.edges.filter(({ isBack }) => isBack)).toHaveLength(0);
    expect(big.cards.get('s9')!.rows.map(({ chip }) => chip)).toEqual([undefined, 'open', 'back']);
  });

  it('overlays ways that lead nowhere: to a missing step, out of the flow, and not written yet', () => {
    const graph = graphIn('flow: t\nstart: a\nsteps:\n  a: { schedule: x, exits: { open: nobody, closed: $end } }\n');
    const [card] = layOut(graph, { measure }).cards.values();
    expect(card!.rows.map(({ outcome, chip }) => [outcome, chip])).toEqual([
      ['open', 'missing'],
      ['holiday', 'open'],
      ['closed', 'end'],
    ]);
  });

  it('tells conditions apart that begin alike', () => {
    const graph = graphIn(companyFlow(130));
    const rows = layOut(graph, { measure }).cards.get('billing_by_state')!.rows;
    expect(rows.map(({ label }) => label)).toEqual(["…state = 'done'", "…state = 'open'", 'else']);
  });

  it('moves nothing when only words change within a line', () => {
    const places = (text: string) => [...layOut(graphIn(text), { measure }).cards.values()].map(({ x, y }) => [x, y]);
    const text = textOf('flows/order-status.flow.yaml');
    expect(places(text.replace('I cannot find that order.', 'There is no such order.'))).toEqual(places(text));
  });

  // `npm run bench -- studio` measures the time.
  it('lays out 500 steps', () => {
    const graph = graphIn(companyFlow(500));
    expect(graph.steps.length).toBeGreaterThan(480);
    const drawing = layOut(graph, { measure });
    expect([...faultsOf(graph, drawing), ...sharedLevels(drawing)]).toEqual([]);
  });
});

/** Title boxes, at a scale with room for one line of a name, that overlap another card or title. */
function coveredBy({ cards }: Drawing, scale: number): string[] {
  const boxes = [...cards.values()].map((card) => {
    const height = Math.max(11 / scale, card.height);
    return { card, label: { ...card, y: card.y + (card.height - height) / 2, height } };
  });
  return boxes.flatMap(({ card, label }) =>
    boxes
      .filter((other) => other.card !== card && (overlaps(label, other.card) || overlaps(label, other.label)))
      .map((other) => `${card.step.name} on ${other.card.step.name}`),
  );
}

const chainOf = (count: number): string =>
  `flow: chain\nstart: s0\nsteps:\n${Array.from({ length: count }, (_, index) => `  s${index}: { schedule: x, exits: { open: s${index + 1}, closed: bye, holiday: s${Math.max(0, index - 3)} } }`).join('\n')}\n  s${count}: { hangup: normal }\n  bye: { hangup: normal }\n`;
const fanOf = (count: number): string => {
  const each = (write: (index: number) => string, between: string): string =>
    Array.from({ length: count }, (_, index) => write(index)).join(between);
  return `flow: fan\nstart: m\nsteps:\n  m: { menu: { prompt: x, choices: { ${each((index) => `c${index}: { dtmf: "${index}" }`, ', ')} } }, exits: { ${each((index) => `c${index}: p${index}`, ', ')} } }\n${each((index) => `  p${index}: { play: "Hi.", next: q${index} }\n  q${index}: { play: "Bye.", next: $end }`, '\n')}\n`;
};

describe('wrapping of a drawing', () => {
  /** Width of a usual view, relative to its height. */
  const VIEW = 1.5;

  it.each([
    ['a company with 31 steps', companyFlow(31)],
    ['a company with 130 steps', companyFlow(130)],
    ['a company with 500 steps', companyFlow(500)],
    ['a chain of 40 steps', chainOf(40)],
    ['a chain of 130 steps', chainOf(130)],
    ['a menu with 30 choices', fanOf(30)],
    ['a menu with 60 choices', fanOf(60)],
  ])('keeps the proportions of a view, without faults: %s', (_, text) => {
    const graph = graphIn(text);
    const drawing = layOut(graph, { measure });
    const aspect = drawing.width / drawing.height / VIEW;
    expect(aspect).toBeGreaterThan(0.6);
    expect(aspect).toBeLessThan(2.2);
    expect([...faultsOf(graph, drawing), ...sharedLevels(drawing)]).toEqual([]);
    expect(coveredBy(drawing, 44 / 236)).toEqual([]);
  });

  it('leaves each name room beside other cards and names', () => {
    fc.assert(
      fc.property(graphs(40), (graph) => {
        expect(coveredBy(layOut(graph, { measure }), 44 / 236)).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  it('spreads a rank of more than nine cards over two columns', () => {
    const columns = (count: number) =>
      new Set([...layOut(graphIn(fanOf(count)), { measure }).cards.values()].map(({ x }) => x)).size;
    expect([columns(8), columns(12)]).toEqual([3, 5]);
  });

  it('breaks a long chain into rows, joined by chips with the number of their target', () => {
    const { cards, edges } = layOut(graphIn(chainOf(40)), { measure });
    const rows = [...cards.values()].flatMap((card) => card.rows.map((row) => ({ from: card.step.name, ...row })));
    const broken = rows.filter(({ chip }) => chip === 'row');
    expect(broken.length).toBeGreaterThan(2);
    for (const { from, target, pair } of broken) {
      expect(cards.get(target)!.pair).toBe(pair);
      expect(cards.get(target)!.y).toBeGreaterThan(cards.get(from)!.y);
    }
    expect(edges.every(({ from, to }) => Math.abs(cards.get(from)!.y - cards.get(to)!.y) < 400)).toBe(true);
    const short = [...layOut(graphIn(chainOf(10)), { measure }).cards.values()];
    expect(short.flatMap((card) => card.rows.filter(({ chip }) => chip === 'row'))).toEqual([]);
  });
});

describe('an exported picture', () => {
  it('carries the text of the flow, whatever is in it', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('<', '>', '&', '"', '\r\n', '\n', ']]>', '&amp;', 'a', '</flow>', 'é') }),
        (text) => {
          const graph = graphIn(textOf('examples/01-hello/hello.flow.yaml'));
          expect(flowInSvg(exportSvg(graph, layOut(graph, { measure }), { text: `x${text}` }))).toBe(`x${text}`);
        },
      ),
    );
    expect(flowInSvg('<svg/>')).toBeUndefined();
  });
});

describe('a printed drawing', () => {
  it('is one page while it is readable on it, and tiles of the whole drawing otherwise', () => {
    expect(pagesOf({ width: 800, height: 500 })).toEqual({
      scale: 1,
      pages: [{ x: 0, y: 0, width: 800, height: 500 }],
    });
    expect(pagesOf({ width: 1400, height: 600 }).pages).toHaveLength(1);
    const { scale, pages } = pagesOf({ width: 4300, height: 2900 });
    expect(scale).toBeGreaterThan(0.7);
    const last = pages.at(-1)!;
    expect(last.x + last.width).toBeGreaterThanOrEqual(4300);
    expect(last.y + last.height).toBeGreaterThanOrEqual(2900);
    expect(new Set(pages.map(({ x, y }) => `${x} ${y}`)).size).toBe(pages.length);
  });
});
