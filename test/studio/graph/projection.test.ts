import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileFlow } from '../../../src/language/flow/compile.ts';
import type { CompiledFlow } from '../../../src/language/flow/compiled-flow.ts';
import { summarise } from '../../../src/language/flow/flow-summary.ts';
import { type FlowGraph, graphOf } from '../../../src/language/flow/graph.ts';
import { verbs } from '../../../src/verbs/steps.ts';
import { documentIn, graphIn, language, pathOf, shippedFiles, textOf } from './flows.ts';

/** Exits of a graph, by outcome. */
const routesOf = (graph: FlowGraph): Record<string, Record<string, string>> =>
  Object.fromEntries(
    graph.steps.map(({ name, exits }) => [
      name,
      Object.fromEntries(
        exits
          .filter(({ target }) => target !== '')
          .flatMap(({ covers, target }) => covers.map((outcome) => [outcome, target])),
      ),
    ]),
  );

const routesOfCompiled = ({ steps }: CompiledFlow) =>
  Object.fromEntries([...steps.values()].map(({ name, exits }) => [name, { ...exits }]));

const knownFlows = new Map(
  shippedFiles.map((file) => {
    const value = documentIn(textOf(file)) as { flow: string };
    return [value.flow, summarise(value as never)];
  }),
);

describe('graph of a flow', () => {
  it.each(shippedFiles)('has the routes of the compiler: %s', (file) => {
    const { flow, diagnostics } = compileFlow(textOf(file), pathOf(file), verbs, { knownFlows });
    expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
    const graph = graphOf(documentIn(textOf(file)), { verbs: language, flows: knownFlows });
    expect(routesOf(graph)).toEqual(routesOfCompiled(flow!));
    expect(graph).toMatchObject({ name: flow!.name, start: flow!.start, events: flow!.events });
    expect(graph.steps.filter(({ sensitive }) => sensitive).map(({ name }) => name)).toEqual(
      [...flow!.steps.values()].filter(({ sensitive }) => sensitive).map(({ name }) => name),
    );
  });

  const flow = (steps: string, head = '') => `flow: t\nstart: a\n${head}\nsteps:\n${steps}\n  b: { hangup: normal }\n`;
  it.each([
    ['play', 'a: { play: { prompt: hi, barge_in: true }, exits: { done: b, error: b } }'],
    ['menu', 'a: { menu: { prompt: q, choices: { one: { dtmf: "1" } } }, exits: { one: b, exhausted: b, error: b } }'],
    [
      'branch',
      'a: { branch: [{ when: "1 = 1", next: b }, { when: "2 = 2", name: two }, { else: b }], exits: { two: b } }',
    ],
    ['split', 'a: { split: { arms: { x: 1, y: 2 } }, exits: { x: b, y: b } }'],
    [
      'queue',
      'a: { queue: { name: q, agents: ["user:x"], timeout: 3m, leave_key: "*" }, exits: { dequeued: b, timeout: b, full: b, abandoned: b, error: b } }',
    ],
    ['queue without end', 'a: { queue: { name: q, agents: ["user:x"] }, exits: { dequeued: b, full: b, error: b } }'],
    [
      'bridge',
      'a: { bridge: { to: "user:x", screen: { prompt: q }, detect_machine: true }, exits: { completed: b, failed: b, machine: b, error: b } }',
    ],
    ['bridge, short', 'a: { bridge: "user:x", exits: { completed: b, failed: b, failed.busy: $end, error: b } }'],
    ['transfer', 'a: { transfer: "user:x", exits: { transferred: b, returned: b, failed: b, error: b } }'],
    [
      'webhook',
      'a: { webhook: { outcomes: [paid, open], may: [flow] }, exits: { paid: b, open: b, done: b, timeout: b, error: b } }',
    ],
    ['wait_for', 'a: { wait_for: { events: [paid], timeout: 5s, meanwhile: q }, exits: { paid: b, timeout: b } }'],
    ['subflow', 'a: { subflow: { flow: other, outcomes: [won] }, exits: { done: b, won: b, error: b } }'],
    [
      'parallel',
      'a: { parallel: { branches: { one: other, two: other2 }, until: first, outcomes: [won], timeout: 3s }, exits: { done: b, won: b, timeout: b, error: b } }',
    ],
    ['recording', 'a: { recording: start, exits: { started: b, failed: b } }'],
    ['recording, ended', 'a: { recording: stop, exits: { done: b, failed: b } }'],
    ['repeat', 'a: { repeat: { do: b, times: 2 }, exits: { limit: b } }'],
    [
      'request',
      'a: { request: { get: "http://a.example/" }, max_visits: 2, exits: { ok: b, not_found: b, failed: b, failed.timeout: $end, limit: b } }',
    ],
    ['set', 'a: { set: { x: 1 }, next: b }', 'vars: { x: { type: integer, sensitive: true } }'],
    ['defaults', 'a: { play: hi, next: b }', 'defaults: { exits: { error: a, hangup: b } }'],
  ] as [string, string, string?][])('has the routes of the compiler: %s', (_, step, head = '') => {
    const text = flow(`  ${step}`, `${head}\nprompts: { hi: Hello, q: Well }`);
    const { flow: compiled, diagnostics } = compileFlow(text, 't.flow.yaml', verbs);
    expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(routesOf(graphIn(text))).toEqual(routesOfCompiled(compiled!));
  });

  it('has the exits in the order of the text', () => {
    const text = flow(
      '  a: { bridge: { to: ["user:x"], ring_timeout: 20s }, exits: { completed: b, failed: b, failed.busy: c } }',
      'defaults: { exits: { error: b } }',
    );
    expect(graphIn(text).steps[0]!.exits).toEqual([
      { outcome: 'completed', target: 'b', own: true, covers: ['completed'] },
      {
        outcome: 'failed',
        target: 'b',
        own: true,
        covers: ['failed.no_answer', 'failed.declined', 'failed.unreachable'],
      },
      { outcome: 'failed.busy', target: 'c', own: true, covers: ['failed.busy'] },
      { outcome: 'error', target: 'b', own: false, covers: ['error'] },
    ]);
  });

  it('shows outcomes without a route as one exit for each family', () => {
    const [step] = graphIn(flow('  a: { request: { get: "http://a.example/" } }')).steps;
    expect(step!.exits.map(({ outcome, target }) => [outcome, target])).toEqual([
      ['ok', ''],
      ['failed', ''],
    ]);
  });

  it('labels exits with the keys of choices, and with conditions in place of the names of cases', () => {
    const text = flow(
      `  a: { menu: { prompt: q, choices: { agent: { dtmf: ["0", "9"] }, sales: { dtmf: "1" } } }, exits: { sales: b, agent: c } }
  c: { branch: [{ when: "vars.x = 1", next: b }, { else: b }] }`,
    );
    const [menu, branch] = graphIn(text).steps;
    expect(menu!.exits.slice(0, 2).map(({ outcome, key }) => [outcome, key])).toEqual([
      ['agent', '0 9'],
      ['sales', '1'],
    ]);
    expect(branch!.exits.map(({ outcome, label }) => [outcome, label])).toEqual([
      ['case.1', 'vars.x = 1'],
      ['else', undefined],
    ]);
  });

  it('contains the prompts in the language of the step', () => {
    const text = flow(
      `  a: { play: hi, locale: fr-FR, next: c }
  c: { menu: { prompt: [hi], choices: {} } }
  d: { play: "Written here." }`,
      'prompts: { hi: { en: Hello, fr: { text: Bonjour } } }',
    );
    expect(graphIn(text).steps.map(({ about }) => about)).toEqual(['Bonjour', 'Hello', 'Written here.', 'normal']);
  });

  it('contains short facts: tries, digits, timeouts, retries, visits, speech', () => {
    const text = flow(
      `  a: { collect: { prompt: q, digits: { min: 2, max: 4 } }, max_visits: 1 }
  c: { collect: { digits: { length: 6 }, attempts: 1, speech: { grammar: x }, confirm: { prompt: q } } }
  d: { request: { get: "http://a.example/", timeout: 3s, retry: { times: 2 } } }
  e: { record: { max_length: 2m } }`,
      'defaults: { input: { attempts: 2 } }',
    );
    expect(graphIn(text).steps.map(({ badges }) => badges)).toEqual([
      ['2 tries', '2–4 digits', '≤ 1 visit'],
      ['1 try', '6 digits', 'speech', 'confirmed'],
      ['retry 2×', '3s'],
      ['≤ 2m'],
      [],
    ]);
  });

  it('contains the flows that a step opens', () => {
    const text = flow(
      '  a: { subflow: pin }\n  c: { parallel: { branches: { one: x, two: { flow: y } } } }\n  d: { subflow: "${ vars.f }" }',
    );
    expect(graphIn(text).steps.map(({ opens }) => opens)).toEqual([['pin'], ['x', 'y'], undefined, undefined]);
  });

  it('never throws for any input', () => {
    const words = [
      'flow',
      'start',
      'steps',
      'exits',
      'next',
      'branch',
      'menu',
      'choices',
      'prompts',
      'defaults',
      'input',
      'when',
      'play',
      '__proto__',
      'a',
      'set',
      'request',
      'get',
      'digits',
      'retry',
      'subflow',
      'parallel',
      'branches',
      'events',
    ];
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom(...words),
        fc.integer(),
        fc.constant(null),
        fc.boolean(),
        fc.array(tie('tree'), { maxLength: 4 }),
        fc.dictionary(fc.constantFrom(...words), tie('tree'), { maxKeys: 6 }),
      ),
    }));
    const steps = fc.dictionary(
      fc.string(),
      fc.dictionary(fc.constantFrom(...Object.keys(language), ...words), tree, { maxKeys: 4 }),
      { maxKeys: 4 },
    );
    fc.assert(
      fc.property(
        fc.oneof(
          tree,
          fc.record({ flow: tree, start: tree, defaults: tree, prompts: tree, events: tree, vars: tree, steps }),
        ),
        (value) => {
          const graph = graphOf(value, { verbs: language });
          expect(graphOf(structuredClone(value), { verbs: language })).toEqual(graph);
          for (const step of graph.steps)
            expect(new Set(step.exits.map(({ outcome }) => outcome)).size).toBe(step.exits.length);
        },
      ),
    );
  });
});
