import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FlowGraph } from '../../../src/language/flow/graph.ts';
import { GraphSource } from '../../../src/language/flow/text/graph-source.ts';
import {
  dominatedBy,
  fold,
  foldsOf,
  hasSameFolds,
  insideOf,
  KnownBlocks,
  membersOf,
  outermostSmall,
  overviewOf,
} from '../../../src/pages/studio/web/graph/folds.ts';
import { waysInOf } from '../../../src/pages/studio/web/graph/ways-in.ts';
import { companyFlow } from './company-flow.ts';
import { graphIn, language } from './flows.ts';

const company = graphIn(companyFlow(130));
const namesOf = (graph: FlowGraph): string[] => graph.steps.map(({ name }) => name);

/** Steps that become unreachable when `without` is removed. */
function lostWithout(graph: FlowGraph, without: string): string[] {
  const reach = (skipped?: string): Set<string> => {
    const known = new Set(namesOf(graph));
    const seen = new Set(
      [graph.start!, ...Object.values(graph.events)].filter((name) => known.has(name) && name !== skipped),
    );
    for (const name of seen) {
      for (const { target } of graph.steps.find((step) => step.name === name)!.exits)
        if (known.has(target) && target !== skipped) seen.add(target);
    }
    return seen;
  };
  const left = reach(without);
  return [...reach()].filter((name) => !left.has(name)).sort();
}

describe('foldable groups of steps', () => {
  it('reduces a flow of 500 steps to an overview of at most 40 blocks', () => {
    const graph = graphIn(companyFlow(500));
    const groups = overviewOf(graph, foldsOf(graph));
    const overview = fold(graph, groups);
    expect(overview.steps.length).toBeLessThanOrEqual(40);
    expect(overview.steps.flatMap((step) => membersOf(step) ?? [step.name]).sort()).toEqual(namesOf(graph).sort());
    const largest = groups.at(-1)!;
    const inside = insideOf(graph, largest);
    expect(namesOf(inside).sort()).toEqual([...largest.members].sort());
    expect(inside.start).toBe(largest.head);
  });

  it('includes a menu, the steps that only it reaches, and the greeting before it', () => {
    const billing = foldsOf(company).find(({ id }) => id === 'step billing_menu')!;
    expect(billing.head).toBe('billing_hello');
    expect([...billing.members].sort()).toEqual(
      namesOf(company)
        .filter((name) => name.startsWith('billing_'))
        .sort(),
    );
  });

  it('includes steps in the same section, whatever their labels', () => {
    const graph = graphIn(
      'flow: t\nstart: a\nsteps:\n  a: { play: A., section: Door, label: "Hall: a", next: b }\n  b: { play: B., section: Door, next: c }\n  c: { play: C., section: Door, next: d }\n  d: { hangup: normal, section: Away }\n',
    );
    expect(foldsOf(graph)).toEqual([{ id: 'label Door', title: 'Door', head: 'a', members: ['a', 'b', 'c'] }]);
  });

  it('includes steps whose labels have the same first word', () => {
    const graph = graphIn(
      'flow: t\nstart: a\nsteps:\n  a: { play: A., label: "Door: a", next: b }\n  b: { play: B., label: Door / b, next: c }\n  c: { play: C., label: "Door: c", next: d }\n  d: { hangup: normal, label: "Away: d" }\n',
    );
    expect(foldsOf(graph)).toEqual([{ id: 'label Door', title: 'Door', head: 'a', members: ['a', 'b', 'c'] }]);
    const folded = fold(graph, foldsOf(graph));
    expect(folded.steps.map(({ name, badges, exits }) => [name, badges, exits.map(({ target }) => target)])).toEqual([
      ['a', ['3 steps', '1 way out'], ['d']],
      ['d', [], []],
    ]);
    expect(folded.start).toBe('a');
  });

  it('leaves a block for each department, with its exits', () => {
    const folded = fold(company, outermostSmall(foldsOf(company)));
    expect(folded.steps.filter((step) => membersOf(step) !== undefined)).toHaveLength(8);
    expect(folded.steps.length).toBeLessThan(20);
    const billing = folded.steps.find(({ name }) => name === 'billing_hello')!;
    expect(billing.exits.map(({ target }) => target).sort()).toEqual(['bye', 'main_1', 'operator', 'voicemail']);
    for (const { exits } of folded.steps)
      for (const { target } of exits) expect([...namesOf(folded), '$end']).toContain(target);
  });

  it('changes nothing when none is folded', () => expect(fold(company, [])).toBe(company));

  it('keeps the blocks and steps whose own steps did not change', () => {
    const text = companyFlow(130);
    const source = new GraphSource({ verbs: language });
    const before = source.read(text).graph;
    const after = source.read(text.replace('I cannot find that number.', 'There is none.')).graph;
    const folds = outermostSmall(foldsOf(before));
    const known = new KnownBlocks();
    const first = fold(before, folds, known);
    const next = fold(after, folds, known);
    expect(next).toEqual(fold(after, folds));
    const made = next.steps.filter((step, index) => step !== first.steps[index]);
    expect(made.map(({ name }) => name)).toEqual(['billing_hello']);
    expect(fold(after, folds.slice(1), known)).toEqual(fold(after, folds.slice(1)));
  });

  it.each([
    ['other words', 'Your request is done.', 'It is done.', true],
    ['another target', 'next: billing_more', 'next: bye', false],
    ['another name', 'billing_down', 'billing_off', false],
    ['a section', 'bye: { hangup: normal }', 'bye: { hangup: normal, section: End }', false],
    ['another start', 'start: hours', 'start: welcome', false],
  ])('knows whether a changed graph has the same groups: %s', (_, from, to, isSame) => {
    const changed = graphIn(companyFlow(130).replaceAll(from, to));
    expect(hasSameFolds(company, changed)).toBe(isSame);
    if (isSame) expect(foldsOf(changed)).toEqual(foldsOf(company));
  });

  it('folds the outer of two nested groups', () => {
    const folds = foldsOf(company).filter(({ id }) => id === 'step billing_menu' || id === 'step main_1');
    expect(folds).toHaveLength(2);
    expect(namesOf(fold(company, folds))).not.toContain('billing_hello');
  });

  it('includes for each step the steps that only it reaches', () => {
    const any = fc.array(fc.array(fc.nat(12), { maxLength: 4 }), { minLength: 1, maxLength: 12 }).map(
      (lists): FlowGraph => ({
        name: 'random',
        start: 's0',
        events: lists.length > 5 ? { 'dtmf.0': 's3' } : {},
        defaults: {},
        steps: lists.map((targets, index) => ({
          name: `s${index}`,
          verb: 'menu',
          group: 'ask',
          about: '',
          badges: [],
          sensitive: false,
          line: 0,
          exits: targets.map((to, at) => ({ outcome: `o${at}`, target: `s${to}`, own: true, covers: [] })),
        })),
      }),
    );
    fc.assert(
      fc.property(any, (graph) => {
        const subtrees = dominatedBy(graph);
        for (const { name } of graph.steps)
          expect([...(subtrees.get(name) ?? [])].sort()).toEqual(lostWithout(graph, name));
      }),
    );
  });
});

describe('routes into a folded group', () => {
  const graph = graphIn(`flow: desk
defaults: { exits: { error: bye } }
events: { hangup: report }
start: ask
steps:
  ask:
    menu: { prompt: Press a key., choices: { one: { dtmf: "1" }, two: { dtmf: "2" } } }
    exits: { one: early, two: late, exhausted: late }
  early: { section: Hours, play: Early., next: late }
  late: { section: Hours, play: Late., next: ask }
  bye: { section: End, play: Bye., next: report }
  report: { section: End, hangup: normal }
`);
  const blocksOf = (...titles: string[]) => {
    const folded = fold(
      graph,
      foldsOf(graph).filter(({ title }) => titles.includes(title)),
    );
    return Object.fromEntries(folded.steps.filter(membersOf).map((step) => [step.label, waysInOf(step)]));
  };

  it('lists them by source, each with its path to a step of the group', () => {
    expect(blocksOf('Hours')).toEqual({
      Hours: [{ source: 'ask', title: 'ask', ways: ['ask: one → early', 'ask: two → late', 'ask: exhausted → late'] }],
    });
  });

  it('includes those of events and defaults', () => {
    expect(blocksOf('End')['End']).toEqual([
      { source: '', title: 'If the caller hangs up', ways: ['If the caller hangs up → report'] },
      { source: '', title: 'Default: error', ways: ['Default: error → bye'] },
    ]);
  });
});
