/** Flows under `flows` on calls: from a file, from a document of a request, in replays and as mocks. */
import { describe, expect, it } from 'vitest';
import { compileDocument, compileFlow } from '../../src/language/flow/compile.ts';
import type { CompiledFlow } from '../../src/language/flow/compiled-flow.ts';
import { replayJournal } from '../../src/proof/testkit/replay.ts';
import { playScenario } from '../../src/proof/testkit/scenario.ts';
import { loadScenario } from '../../src/proof/testkit/scenario-file.ts';
import { formatReport } from '../../src/proof/testkit/scenario-report.ts';
import { verbs } from '../../src/verbs/steps.ts';

const TEXT = `
flow: main
prompts: { hello: Hello from main. }
input: { which: { type: string, default: second } }
start: first
steps:
  first: { subflow: hello, exits: { done: each, error: bye } }
  each:
    for_each: { list: "\${ ['Ann', 'Bob'] }", flow: name, input: { name: "\${ item }" }, outcomes: [stop] }
    exits: { done: chosen, empty: chosen, stop: over, error: bye }
  chosen: { subflow: "\${ input.which }", exits: { done: over, error: bye } }
  over: { continue: { flow: last, input: { pin: "4711" } } , exits: { error: bye } }
  bye: { hangup: failure }
flows:
  hello: { start: say, steps: { say: { play: hello, exits: { done: again, error: $end } }, again: { subflow: name, exits: { stop: $end, done: $end, error: $end } } } }
  name:
    input: { name: { type: string, default: nobody } }
    start: say
    steps:
      say: { menu: { prompt: "This is \${ input.name }", attempts: 1, choices: { stop: { dtmf: "1" } } }, exits: { stop: stop, exhausted: $end, error: $end } }
      stop: { return: stop }
  second: { start: say, steps: { say: { play: The second of main, exits: { done: $end, error: $end } } } }
  last: { input: { pin: { type: string, sensitive: true } }, start: say, steps: { say: { play: "The end", exits: { done: bye, error: bye } }, bye: { hangup: normal } } }
`;
/** They have names of local flows, which come first. */
const OTHERS = ['name', 'second'].map(
  (name) => `
flow: ${name}
start: say
steps: { say: { play: The shared one, exits: { done: $end, error: $end } } }
`,
);

function flowsOf(...texts: string[]): ReadonlyMap<string, CompiledFlow> {
  const flows = texts.flatMap((text) => {
    const { flow, locals = [], diagnostics } = compileFlow(text, 'test.flow.yaml', verbs);
    if (!flow) throw new Error(JSON.stringify(diagnostics));
    return [flow, ...locals];
  });
  return new Map(flows.map((flow) => [flow.name, flow]));
}

const find = (flows: ReadonlyMap<string, CompiledFlow>) => (wanted: unknown) =>
  typeof wanted === 'string' ? flows.get(wanted) : undefined;

async function play(flow: CompiledFlow, scenario: string, flows: ReadonlyMap<string, CompiledFlow>) {
  const { scenario: loaded, diagnostics } = loadScenario(`test: a call\nflow: main\n${scenario}`, 'a.test.yaml');
  if (!loaded) throw new Error(JSON.stringify(diagnostics));
  const report = await playScenario(loaded, flow, { flow: find(flows) });
  if (!report.ok) throw new Error(formatReport(report));
  return report;
}

const HEARD = ['hello', 'This is nobody', 'This is Ann', 'This is Bob', 'The second of main', 'The end'];

describe('the flows of a file', () => {
  const flows = flowsOf(TEXT, ...OTHERS);
  const main = flows.get('main')!;

  it('precedes shared ones, also where a template gives the name; their calls are replayed', async () => {
    const { journal } = await play(
      main,
      `script: [{ hear: hello }, silence, silence, silence]
expect:
  heard: ${JSON.stringify(HEARD)}
  path: [first, main/hello/say, main/hello/again, main/name/say, each, main/name/say, main/name/say, chosen, main/second/say, over, main/last/say, main/last/bye]
  never: { trace_contains: "4711" }`,
      flows,
    );
    expect(await replayJournal(journal, find(flows))).toMatchObject({ ok: true });
    const changed = flowsOf(TEXT.replace('This is', 'That is'), ...OTHERS);
    expect(await replayJournal(journal, find(changed))).toMatchObject({ ok: false, divergence: { step: 'say' } });
  });

  it('are mocked by their full names', async () => {
    await play(
      main,
      `flows: { main/hello: { outcome: done }, main/name: [{ outcome: done }, { outcome: stop }] }
expect: { heard: [The end], path: [first, each, over], outcomes: { each: stop } }`,
      flows,
    );
  });

  it('accepts mocks and expectations of their steps, also if no call reaches them', async () => {
    const prepared = 'flows: { main/name: { outcome: stop } }\nmocks: { stop: { status: 200 } }';
    await play(main, `${prepared}\nexpect: { visits: { stop: 0 } }`, flows);
  });

  it('are tested on their own', async () => {
    await play(
      flows.get('main/hello')!,
      'script: [{ hear: hello }, { press: "1" }]\nexpect: { path: [say, again, main/name/say, main/name/stop] }',
      flows,
    );
  });
});

describe('the flows of a document that came with a request', () => {
  it('are found in it, and not among the flows of the service', async () => {
    const document = {
      flow: 'main',
      start: 'ask',
      steps: {
        ask: { subflow: 'ask', exits: { done: 'bye', error: 'bye' } },
        bye: { hangup: 'normal' },
      },
      flows: {
        ask: {
          start: 'key',
          steps: {
            key: {
              collect: { prompt: 'Your number please', digits: { length: 4 }, sensitive: true },
              exits: { collected: 'say', exhausted: '$end', error: '$end' },
            },
            say: { subflow: 'say', exits: { done: '$end', error: '$end' } },
          },
        },
        say: { start: 'say', steps: { say: { play: 'Thank you', exits: { done: '$end', error: '$end' } } } },
      },
    };
    const { flow, diagnostics } = compileDocument(document, 'request', verbs, { knownFlows: new Map() });
    expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
    const others = flowsOf(
      TEXT.replace(
        '  hello:',
        '  ask: { start: say, steps: { say: { play: The wrong one, exits: { done: $end, error: $end } } } }\n  hello:',
      ),
    );
    await play(
      flow!,
      `script: [{ hear: Your number }, { press: "4711" }]
expect: { heard: [Your number please, Thank you], never: { trace_contains: "4711" } }`,
      others,
    );
  });
});
