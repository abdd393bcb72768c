import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../src/base/core/json.ts';
import { MASK } from '../../src/base/core/mask-url.ts';
import { compileFlow } from '../../src/language/flow/compile.ts';
import { replayJournal } from '../../src/proof/testkit/replay.ts';
import { playScenario } from '../../src/proof/testkit/scenario.ts';
import { scenarioFrom } from '../../src/proof/testkit/scenario-file.ts';
import type { JournalEntry } from '../../src/service/runtime/journal.ts';
import { verbs } from '../../src/verbs/steps.ts';

const TOOLS = `
        book: { description: A day is chosen., arguments: { date: { type: string, format: date }, note: { type: string, default: none } } }
        human: { description: A person is wanted. }`;

const flow = (more = '', tools = TOOLS, common = ''): string => `
flow: test
start: talk
events: { dtmf.9: pressed }
steps:
  talk:
    assistant:
      agent: support
      tools:${tools}
      ${more}
    ${common}
    exits: { book: booked, human: person, done: over, limit: limited, error: broken, hangup: gone }
  booked: { hangup: {} }
  person: { hangup: {} }
  over: { hangup: {} }
  limited: { hangup: {} }
  broken: { hangup: {} }
  gone: { log: gone, next: over }
  pressed: { hangup: {} }
`;

async function play(text: string, agent: Json, more: JsonObject = {}) {
  const { flow: compiled, diagnostics } = compileFlow(text, 'test.flow.yaml', verbs);
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  const { mocks = {}, ...form } = more;
  const written = { test: 'test', flow: 'test', mocks: { talk: { agent }, ...(mocks as JsonObject) }, ...form };
  const { scenario, diagnostics: wrong } = scenarioFrom(written, 'test.test.yaml');
  expect(wrong).toEqual([]);
  const report = await playScenario(scenario!, compiled!);
  expect(report.failures).toEqual([]);
  const journal = report.journal;
  const left = journal.find((entry) => entry.kind === 'left' && entry.step === 'talk') as Left;
  return { journal, left, steps: journal.flatMap((entry) => (entry.kind === 'entered' ? [entry.step] : [])) };
}
type Left = Extract<JournalEntry, { kind: 'left' }>;

const answers = (journal: readonly JournalEntry[]) =>
  journal.flatMap((entry) =>
    entry.kind === 'command' && entry.command.type === 'answer_assistant' ? [entry.command.answer] : [],
  );

describe('tools', () => {
  it('are outcomes, with arguments that fit, defaults included', async () => {
    const { left } = await play(flow(), [{ call: 'book', arguments: { date: '2026-12-02' } }]);
    expect(left.outcome).toBe('book');
    expect(left.result).toEqual({
      ...{ tool: 'book', turns: 0, lines: 0, duration: 0 },
      arguments: { date: '2026-12-02', note: 'none' },
      tools: { book: { date: '2026-12-02', note: 'none' } },
    });
  });

  it.each([
    ['a value that does not fit', { call: 'book', arguments: { date: 'tomorrow' } }, /do not fit: .*date/],
    ['a missing one', { call: 'book' }, /do not fit/],
    ['one that is not declared', { call: 'human', arguments: { loud: true } }, /do not fit/],
    ['a tool that is not there', { call: 'transfer' }, /there is no tool transfer/],
    ['a word of the language', { call: 'hangup' }, /there is no tool hangup/],
    ['an inherited name', { call: 'constructor' }, /there is no tool constructor/],
  ])('are not taken with %s: the agent is answered what is wrong', async (_, wrong, message) => {
    const { left, journal } = await play(flow(), [wrong, { call: 'human' }]);
    expect(left.outcome).toBe('human');
    expect(answers(journal)).toEqual([{ error: expect.stringMatching(message) }]);
  });

  it('ends the step as an error after repeated wrong calls', async () => {
    const { left, journal } = await play(
      flow(),
      Array.from({ length: 20 }, () => ({ call: 'book' })),
    );
    expect(left).toMatchObject({ outcome: 'error', fault: { code: 'agent_confused' } });
    expect(answers(journal)).toHaveLength(9);
  });

  it('waits for the speech of the agent, for a limited time', async () => {
    const text = flow('keys: false');
    const { left } = await play(text, [
      { say: 'One moment please, I will connect you.', lasts: '4s' },
      { call: 'human' },
    ]);
    expect(left).toMatchObject({ outcome: 'human', result: { duration: 4, lines: 1 } });
  });
});

describe('limits', () => {
  it.each([
    ['limit.duration', 'limits: { duration: 30s }', [{ say: 'la', lasts: '5m' }], 30],
    ['limit.silence', 'limits: { silence: 7s }', [{ say: 'Hello.', lasts: '3s' }], 10],
    ['limit.silence', '', [], 20],
    ['limit.turns', 'limits: { turns: 2 }', [{ turns: 9 }], 4],
  ])('ends the conversation with the outcome %s (%s)', async (outcome, limits, agent, duration) => {
    const { left } = await play(flow(limits), agent as Json);
    expect(left).toMatchObject({ outcome, result: { duration } });
  });

  it('counts silence from the end of the last speech of either side', async () => {
    const script: Json = [{ hear: 'Hello' }, { say: { text: 'hello', after: '8s', lasts: '2s' } }];
    const { left } = await play(flow('limits: { silence: 7s }'), [{ say: 'Hello.', lasts: '3s' }], { script });
    expect(left).toMatchObject({ outcome: 'limit.silence', result: { turns: 1, lines: 2, duration: 17 } });
  });
});

describe('the end of an agent', () => {
  it.each([
    ['close', 'done', undefined],
    ['break', 'error', 'agent_failed'],
    ['refuse', 'error', 'agent_failed'],
  ])('maps the end %s to %s', async (act, outcome, code) => {
    const { left } = await play(flow(), [act]);
    expect(left.outcome).toBe(outcome);
    expect(left.fault?.code).toBe(code);
  });

  it('follows the route of errors without one of its own', async () => {
    const { steps } = await play(flow().replace('done: over, ', ''), ['close']);
    expect(steps).toEqual(['talk', 'broken']);
  });

  it('is a hang-up where the caller hangs up', async () => {
    const script: Json = [{ hear: 'Hello' }, 'hang_up'];
    const { steps } = await play(flow(), [{ say: 'Hello.', lasts: '9s' }], { script });
    expect(steps).toEqual(['talk', 'gone', 'over']);
  });
});

describe('the caller', () => {
  it('cuts what the agent says by speaking, unless that is switched off', async () => {
    const script: Json = [{ hear: 'We are' }, { say: { text: 'a person', lasts: '1s', after: '1s' } }];
    const agent: Json = [{ say: 'We are open all day.', lasts: '10s' }, { call: 'human' }];
    expect((await play(flow(), agent, { script })).left).toMatchObject({ result: { duration: 2 } });
    expect((await play(flow('barge_in: false'), agent, { script })).left).toMatchObject({ result: { duration: 10 } });
  });

  it('gives the agent keys, but those of events lead elsewhere', async () => {
    const given = (journal: readonly JournalEntry[]) =>
      journal.flatMap((entry) =>
        entry.kind === 'command' && entry.command.type === 'key_assistant' ? [entry.command.digit] : [],
      );
    const script: Json = [{ hear: 'Hello' }, { press: '12' }, { wait: '1s' }, { press: '9' }];
    const agent: Json = [{ say: 'Hello.', lasts: '9s' }];
    const { journal, steps } = await play(flow(), agent, { script });
    expect(given(journal)).toEqual(['1', '2']);
    expect(steps).toEqual(['talk', 'pressed']);
    expect(given((await play(flow('keys: false'), agent, { script })).journal)).toEqual([]);
  });
});

describe('speech of an assistant', () => {
  const script: Json = [{ hear: 'Hello' }, { say: 'my name is Ann' }];
  const agent: Json = [{ say: 'Hello.' }, 'listen', { call: 'book', arguments: { date: '2026-12-02' } }];

  it('is a transcript of both sides for the application, and not in the journal', async () => {
    const { journal } = await play(flow(), agent, { script });
    const said = journal.flatMap((entry) => (entry.kind === 'transcript' ? [[entry.track, entry.text]] : []));
    expect(said).toEqual([
      ['outbound', MASK],
      ['inbound', MASK],
    ]);
    expect(JSON.stringify(journal)).not.toMatch(/Ann|Hello/);
  });

  it('is masked, with the arguments, in a sensitive step', async () => {
    const { journal, left } = await play(flow('', TOOLS, 'sensitive: true'), agent, { script });
    expect(left.outcome).toBe('book');
    expect(JSON.stringify(journal)).not.toMatch(/Ann|Hello|2026-12-02/);
  });
});

describe('lookups', () => {
  const lookups = (request: string, more = '') =>
    flow(
      `lookups: { free: { description: Free days., arguments: { month: { type: integer } }, request: ${request} ${more} } }`,
    );
  const GET = '{ get: "https://calendar.example/free?month=${ result.arguments.month }" }';
  const calls: Json = [{ call: 'free', arguments: { month: 12 } }, { call: 'human' }];

  it.each([
    ['200', { status: 200, body: ['2026-12-01'] }, ['2026-12-01']],
    ['404', 'not_found', { error: 'not found' }],
    ['500', 'failed.5xx', { error: 'the service answered 500' }],
    ['no answer', 'failed.timeout', { error: 'no answer in time' }],
    ['no connection', 'failed.network', { error: 'the service cannot be reached' }],
    ['too much', { body: 'x'.repeat(40_000) }, { error: 'the answer is too long' }],
  ])('are answered inside the step: %s', async (_, reply, answer) => {
    const more = {
      mocks: { 'talk.free': reply as Json },
      expect: { requests: [{ step: 'talk.free', method: 'GET', url: 'https://calendar.example/free?month=12' }] },
    };
    const { journal, left } = await play(lookups(GET), calls, more);
    expect(answers(journal)).toEqual([answer]);
    expect(left.outcome).toBe('human');
  });

  it('passes nothing to the agent that `returns` does not allow', async () => {
    const text = lookups(GET, ', returns: { type: array }');
    const { journal } = await play(text, calls, { mocks: { 'talk.free': { body: { free: [] } } } });
    expect(answers(journal)).toEqual([{ error: 'the answer is of no use' }]);
  });

  it('are refused with wrong arguments, and in too great numbers', async () => {
    const wrong = await play(lookups(GET), [{ call: 'free', arguments: { month: 'May' } }, { call: 'human' }]);
    expect(answers(wrong.journal)).toEqual([{ error: expect.stringMatching(/month/) }]);
    const many: Json = [...Array.from({ length: 101 }, () => (calls as JsonObject[])[0]!), { call: 'human' }];
    const { journal } = await play(lookups(GET), many, { mocks: { 'talk.free': { body: [] } } });
    expect(answers(journal).at(-1)).toEqual({ error: 'too many lookups' });
  });

  it('are refused with arguments that would change the path of the URL, and encode all others', async () => {
    const text = flow(
      `lookups: { find: { description: Finds., arguments: { id: { type: string } }, request: { get: "https://shop.example/orders/\${ result.arguments.id }" } } }`,
    );
    const agent: Json = [
      { call: 'find', arguments: { id: '../admin/users' } },
      { call: 'find', arguments: { id: 'a/b?c' } },
      { call: 'human' },
    ];
    const { journal } = await play(text, agent, {
      mocks: { 'talk.find': { body: [] } },
      expect: { requests: [{ url: 'https://shop.example/orders/a%2Fb%3Fc' }] },
    });
    expect(answers(journal)).toEqual([{ error: expect.stringContaining('would change its path') }, []]);
  });

  it('does not render templates in arguments of the agent', async () => {
    const text = flow(
      `lookups: { free: { description: Free days., arguments: { of: { type: string } }, request: { post: "https://calendar.example/free", body: { of: "\${ result.arguments.of }" } } } }`,
    );
    const agent: Json = [{ call: 'free', arguments: { of: '${ secrets.key }' } }, { call: 'human' }];
    await play(text, agent, {
      secrets: { key: 'hidden' },
      mocks: { 'talk.free': { body: [] } },
      expect: { requests: [{ body: { of: '${ secrets.key }' } }], never: { trace_contains: 'hidden' } },
    });
  });

  it('sends secrets, and keeps them out of the journal', async () => {
    const text = lookups('{ get: "https://calendar.example/free", auth: { bearer: "${ secrets.key }" } }');
    await play(text, calls, {
      secrets: { key: 'hidden' },
      mocks: { 'talk.free': { body: [] } },
      expect: { requests: [{ headers: { authorization: 'Bearer hidden' } }], never: { trace_contains: 'hidden' } },
    });
  });
});

describe('an agent that stands in the flow', () => {
  it('gets its secret, which the journal does not have', async () => {
    const text = flow()
      .replace('agent: support', 'agent: { adapter: stream, url: "wss://bot.example/calls?key=hidden" }')
      .replace('tools:', 'auth: { bearer: "${ secrets.key }" }\n      tools:');
    const { left } = await play(text, [{ call: 'human' }], {
      secrets: { key: 'hidden' },
      expect: { never: { trace_contains: 'hidden' } },
    });
    expect(left.outcome).toBe('human');
  });
});

describe('the journal of a conversation', () => {
  const agent: Json = [
    { say: 'Hello.' },
    'listen',
    { call: 'book', arguments: { date: 'tomorrow' } },
    { call: 'book', arguments: { date: '2026-12-02' } },
  ];
  const script: Json = [{ hear: 'Hello' }, { press: '1' }, { say: 'my name is Ann' }];

  it.each([
    ['is repeated by the flow that wrote it', flow()],
    ['of a sensitive step is repeated as far as it is shown', flow('', TOOLS, 'sensitive: true')],
  ])('is checked by a replay: %s', async (_, text) => {
    // With masked arguments an invalid tool call cannot be distinguished from a valid one.
    const acts = text.includes('sensitive') ? (agent as Json[]).toSpliced(2, 1) : agent;
    const { journal } = await play(text, acts, { script });
    const { flow: compiled } = compileFlow(text, 'test.flow.yaml', verbs);
    const replayed = await replayJournal(JSON.parse(JSON.stringify(journal)), () => compiled);
    expect(replayed).toMatchObject({ ok: true });
  });

  it('shows another path for another version of the flow', async () => {
    const { journal } = await play(flow(), agent, { script });
    const other = flow().replace('format: date', 'maxLength: 3');
    const changed = compileFlow(other, 'test.flow.yaml', verbs).flow;
    expect(await replayJournal(JSON.parse(JSON.stringify(journal)), () => changed)).toMatchObject({ ok: false });
  });
});
