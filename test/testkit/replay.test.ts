import { describe, expect, it } from 'vitest';
import { equalExceptMasks } from '../../src/proof/testkit/masked.ts';
import { replayJournal, replaySteps } from '../../src/proof/testkit/replay.ts';
import type { Divergence } from '../../src/proof/testkit/replay-result.ts';
import { replayRoutes } from '../../src/proof/testkit/replay-routes.ts';
import type { JournalEntry } from '../../src/service/runtime/journal.ts';
import { MASK } from '../../src/service/runtime/journal.ts';
import { containsMask } from '../../src/service/runtime/masked-templates.ts';
import { flowOf, succeeds } from '../scenarios/rehearse.ts';

const shop = `
flow: shop
vars: { choice: { type: string } }
events: { dtmf.0: operator }
start: greet
steps:
  greet: { play: { text: "Welcome to the shop" }, exits: { done: choose, error: bye } }
  choose:
    menu:
      prompt: { text: "One for orders, two for help" }
      choices: { orders: { dtmf: "1" }, help: { dtmf: "2" } }
      start_timeout: 5s
      attempts: 2
    set: { choice: "\${ result.choice }" }
    exits: { orders: look_up, help: bye, exhausted: bye, error: bye }
  look_up:
    request: { get: "http://shop.example/\${ vars.choice }", timeout: 2s }
    exits: { ok: tell, not_found: bye, failed: bye, error: bye }
  tell: { play: "There are \${ steps.look_up.body.count } orders.", exits: { done: bye, error: bye } }
  operator: { play: { text: "An operator" }, exits: { done: bye, error: bye } }
  bye: { hangup: normal }
`;
const call = `
mocks: { look_up: { body: { count: 3 }, after: 1s } }
script: [{ hear: Welcome }, { hear: One for orders }, silence, { hear: One for orders }, { press: "1" }]
expect: { path: [greet, choose, look_up, tell, bye] }
`;

const journalOf = async (flow: string, scenario: string, others: string[] = []): Promise<JournalEntry[]> =>
  JSON.parse(JSON.stringify((await succeeds(flow, scenario, others)).journal));

const flows = (...texts: string[]) => {
  const compiled = texts.map(flowOf);
  return (name: unknown) => compiled.find((flow) => flow.name === name);
};

async function divergence(journal: JournalEntry[], ...texts: string[]): Promise<Divergence> {
  const result = await replayJournal(journal, flows(...texts));
  if (result.ok) throw new Error('the journal was repeated');
  return result.divergence;
}

describe('a journal', () => {
  it('is repeated by the flow that wrote it', async () => {
    const journal = await journalOf(shop, call);
    expect(await replayJournal(journal, flows(shop))).toEqual({
      ok: true,
      entries: journal.length,
      followed: 0,
      sameVersion: true,
    });
  });

  it('repeats a call of a telephone with its recorded SIP data', async () => {
    const journal = await journalOf(shop, call);
    const [started, ...others] = journal;
    const real = [{ ...started, sip: { callId: 'a@b' } }, ...others] as JournalEntry[];
    expect(await replayJournal(JSON.parse(JSON.stringify(real)), flows(shop))).toMatchObject({ ok: true });
  });

  it('is repeated by another version that does the same', async () => {
    const journal = await journalOf(shop, call);
    const other = shop.replace('operator: { play: { text: "An operator" }', 'operator: { play: { text: "Somebody" }');
    expect(await replayJournal(journal, flows(other))).toMatchObject({ ok: true, sameVersion: false });
  });

  it.each<[string, (flow: string) => string, Partial<Divergence>]>([
    [
      'a prompt',
      (f) => f.replace('Welcome to', 'Hello from'),
      { step: 'greet', message: 'what greet says is “Hello from the shop”, and was “Welcome to the shop”' },
    ],
    [
      'a menu prompt',
      (f) => f.replace('two for help', '2 for help'),
      {
        step: 'choose',
        message: 'what choose says is “One for orders, 2 for help”, and was “One for orders, two for help”',
      },
    ],
    [
      'a time-out',
      (f) => f.replace('5s', '6s'),
      { step: 'choose', message: 'the time-out of choose, in milliseconds, is 6000, and was 5000' },
    ],
    ['attempts', (f) => f.replace('attempts: 2', 'attempts: 1'), { step: 'choose', message: /./ as never }],
    ['a key', (f) => f.replace('dtmf: "1"', 'dtmf: "3"'), { step: 'choose', message: /./ as never }],
    [
      'a URL',
      (f) => f.replace('example/', 'example/v2/'),
      {
        step: 'look_up',
        message: 'get of look_up is “http://shop.example/v2/orders”, and was “http://shop.example/orders”',
      },
    ],
    [
      'a template',
      (f) => f.replace('orders."', 'orders!"'),
      {
        step: 'tell',
        message: 'what tell is given is “There are 3 orders!”, and was “There are 3 orders.”',
      },
    ],
    [
      'an assignment',
      (f) => f.replace('result.choice', 'result.digits'),
      { step: 'choose', message: 'the variable choice is “1”, and was “orders”' },
    ],
  ])('diverges at the step where %s changed', async (_what, change, expected) => {
    const journal = await journalOf(shop, call);
    const changed = change(shop);
    const found = await divergence(journal, changed);
    expect(found.level).toBe('steps');
    expect(found.step).toBe(expected.step);
    if (typeof expected.message === 'string') expect(found.message).toBe(expected.message);
    // The line of that step in the flow of today.
    const line = changed.split('\n').findIndex((text) => text.startsWith(`  ${found.step}:`)) + 1;
    expect(found.place).toMatchObject({ file: 'test.flow.yaml', line });
    // Nothing of what came before differs.
    const [recorded] = journal.slice(found.seq - 1);
    expect(found.recorded).toEqual({ ...recorded, seq: undefined, atMs: undefined });
  });

  it('has one cause for calls that differ in their values alone', async () => {
    const changed = shop.replace('There are', 'You have');
    const found = await Promise.all(
      ['3', '4'].map(async (count) =>
        divergence(await journalOf(shop, call.replace('count: 3', `count: ${count}`)), changed),
      ),
    );
    expect(found.map(({ cause }) => cause)).toEqual(['what tell is given is another', 'what tell is given is another']);
    expect(found[1]!.message).toBe('what tell is given is “You have 4 orders.”, and was “There are 4 orders.”');
  });

  it.each<[string, (flow: string) => string, string]>([
    [
      'a route',
      (f) => f.replace('orders: look_up', 'orders: bye'),
      'orders of choose leads to bye, and led to look_up',
    ],
    ['the start', (f) => f.replace('start: greet', 'start: choose'), 'the start leads to choose, and led to greet'],
  ])('diverges by its routes when %s changed', async (_what, change, message) => {
    const journal = await journalOf(shop, call);
    const lenient = change(shop);
    const found = await replayRoutes(journal, () => flowOf(reachable(lenient)));
    expect(found).toMatchObject({ ok: false, divergence: { level: 'routes', message } });
  });

  it('diverges when an interrupt leads elsewhere', async () => {
    const pressed = await journalOf(shop, 'script: [{ hear: Welcome }, { press: { digits: "0", at: 1ms } }]');
    expect(await replayJournal(pressed, flows(shop))).toMatchObject({ ok: true });
    expect(await divergence(pressed, shop.replace('dtmf.0: operator', 'dtmf.0: tell'))).toMatchObject({
      level: 'routes',
      message: 'dtmf.0 leads to tell, and led to operator',
    });
  });

  it('reports an unknown flow, and a text that is not a journal', async () => {
    const journal = await journalOf(shop, call);
    expect(await divergence(journal)).toMatchObject({ seq: 1, message: 'there is no flow shop' });
    expect(await divergence([], shop)).toMatchObject({ message: 'the journal does not begin with `started`' });
    expect(await divergence(journal.slice(1), shop)).toMatchObject({ seq: 1 });
  });

  it('repeats an incomplete journal up to its end', async () => {
    const journal = await journalOf(shop, call);
    const inputs = journal.flatMap(({ kind, seq }) => (kind === 'in' ? [seq] : []));
    for (const seq of inputs) {
      expect(await replaySteps(journal.slice(0, seq - 1), flows(shop))).toMatchObject({ ok: true });
    }
  });
});

/** A changed edge may make steps unreachable, which still compiles. */
const reachable = (flow: string): string =>
  flow.replace('events: {', 'events: { event.a: greet, event.b: look_up, event.c: choose,');

describe('an edited journal is caught', () => {
  it('detects a value changed anywhere', async () => {
    const journal = await journalOf(shop, call);
    for (const [index, entry] of journal.entries()) {
      if (entry.kind === 'started') continue;
      const edited = structuredClone(journal);
      const changed = spoil(edited[index]!);
      if (!changed) continue;
      const result = await replayJournal(edited, flows(shop));
      expect(result.ok, `entry ${entry.seq}: ${JSON.stringify(edited[index])}`).toBe(false);
      if (!result.ok) expect(result.divergence.seq).toBeLessThanOrEqual(journal.length + 1);
    }
  });

  it('detects an entry removed, doubled or moved anywhere', async () => {
    const journal = await journalOf(shop, call);
    const renumber = (entries: JournalEntry[]): JournalEntry[] =>
      entries.map((entry, at) => ({ ...entry, seq: at + 1 }));
    // The second entry is not missed: a flow may be told to tell of the call itself.
    for (let index = 2; index < journal.length; index++) {
      const without = renumber(journal.filter((_, at) => at !== index));
      // A journal may end early: that is a call that was not over.
      if (index < journal.length - 1)
        expect((await replayJournal(without, flows(shop))).ok, `without ${index + 1}`).toBe(false);
      const doubled = renumber([...journal.slice(0, index + 1), ...journal.slice(index)]);
      expect((await replayJournal(doubled, flows(shop))).ok, `twice ${index + 1}`).toBe(false);
    }
  });

  it('refuses entries with impossible numbers or times', async () => {
    const journal = await journalOf(shop, call);
    expect(
      await divergence(
        journal.filter(({ seq }) => seq !== 7),
        shop,
      ),
    ).toMatchObject({ seq: 7 });
    const late = journal.map((entry) => (entry.seq === 20 ? { ...entry, atMs: entry.atMs - 60_000 } : entry));
    expect(await divergence(late, shop)).toMatchObject({
      seq: 20,
      message: 'the entry is earlier than the one before it',
    });
  });
});

/** Changes one thing in an entry that must be the same again. */
function spoil(entry: JournalEntry): boolean {
  switch (entry.kind) {
    case 'entered':
      entry.step = 'elsewhere';
      return true;
    case 'left':
      entry.outcome = 'other';
      return true;
    case 'command':
      if (entry.command.type === 'play') entry.command.repeat = true;
      else entry.visit += 1;
      return true;
    case 'timer':
      entry.afterMs += 1;
      return true;
    case 'rendered':
      entry.input = 'spoilt';
      return true;
    case 'request':
      entry.url += 'x';
      return true;
    case 'vars':
      entry.set = { choice: 'spoilt' };
      return true;
    case 'state':
      entry.state = 'bridged';
      return true;
    case 'ended':
      entry.reason = 'limit';
      return true;
    default:
      return false;
  }
}

describe('masked values', () => {
  const door = `
flow: door
vars: { pin: { type: string, pattern: "^[0-9]{4}$", sensitive: true }, tries: { type: integer, default: 0 } }
events: { dtmf.*: help }
start: greet
steps:
  greet: { play: { prompt: { text: "This is the door" } }, exits: { done: pin, error: bye } }
  pin:
    collect: { prompt: { text: "Your PIN" }, digits: { length: 4 }, attempts: 3, start_timeout: 5s, no_match: [{ text: "Wrong" }] }
    sensitive: true
    set: { pin: "\${ result.digits }", tries: "\${ vars.tries + 1 }" }
    exits: { collected: check, exhausted: bye, error: bye }
  check:
    request: { post: "http://door.example/", body: { pin: "\${ vars.pin }" }, timeout: 2s }
    exits: { ok: judge, not_found: pin, failed: bye, error: bye }
  judge:
    branch:
      - { when: "vars.pin = '7391'", next: more }
      - { else: bye }
  more:
    menu: { prompt: { text: "One or two" }, choices: { one: { dtmf: "1" }, two: { dtmf: "2" } }, attempts: 1, start_timeout: 5s }
    exits: { one: bye, two: pin, exhausted: bye, error: bye }
  help: { play: { text: "Help comes" }, exits: { done: bye, error: bye } }
  bye: { hangup: normal }
`
    .replace('exits: { one: bye, two: pin,', 'max_visits: 2\n    exits: { one: bye, two: pin, limit: bye,')
    .replace(
      'exits: { ok: judge, not_found: pin,',
      'max_visits: 3\n    exits: { ok: judge, limit: bye, not_found: pin,',
    );
  const mocks = 'mocks: { check: {} }\n';

  it.each([
    ['at the prompt', `script: [{ hear: Your PIN }, { press: "7391" }, { hear: One or two }, { press: "1" }]`],
    [
      'over the prompt',
      `script: [{ hear: Your PIN }, { press: { digits: "7391", at: 1ms } }, { hear: One or two }, { press: "1" }]`,
    ],
    [
      'too early',
      `script: [{ hear: This is }, { press: { digits: "7391", at: 1ms } }, { hear: One or two }, { press: "1" }]`,
    ],
    ['and more, too early', `script: [{ hear: This is }, { press: { digits: "73911", at: 1ms } }]`],
    ['too early, and the choice late', `script: [{ hear: This is }, { press: { digits: "7391", at: 1ms } }, silence]`],
    ['after a silence', `script: [{ hear: Your PIN }, silence, { hear: Your PIN }, { press: "7391" }, silence]`],
    [
      'in parts, with a silence',
      `script: [{ hear: Your PIN }, { press: "73" }, silence, { hear: Wrong }, { press: "7391" }]`,
    ],
    ['and hung up', `script: [{ hear: Your PIN }, { press: "73" }, hang_up]`],
    ['and then an interrupt', `script: [{ hear: This is }, { press: { digits: "*", at: 1ms } }]`],
    ['never', `script: [{ hear: Your PIN }, silence, silence, silence]`],
  ])('is followed: pressed %s', async (_when, script) => {
    const journal = await journalOf(door, mocks + script);
    expect(JSON.stringify(journal)).not.toContain('7391');
    expect(await replayJournal(journal, flows(door))).toMatchObject({ ok: true });
  });

  it('does not hide what changed around it', async () => {
    const journal = await journalOf(
      door,
      `${mocks}script: [{ hear: Your PIN }, silence, { press: "7391" }, { hear: One or two }, { press: "1" }]`,
    );
    for (const [from, to, step] of [
      ['Your PIN', 'PIN please', 'pin'],
      ['start_timeout: 5s, no_match', 'start_timeout: 6s, no_match', 'pin'],
      ['door.example', 'gate.example', 'check'],
      ['One or two', 'Two or one', 'more'],
    ] as const) {
      expect(await divergence(journal, door.replace(from, to))).toMatchObject({ step });
    }
  });

  describe('is known by the template that it came from', () => {
    const login = `
flow: login
vars: { customer: { type: string, sensitive: true }, pin: { type: string, sensitive: true } }
start: customer
steps:
  customer:
    collect: { prompt: { text: "Your customer number" }, digits: { length: 6 } }
    sensitive: true
    set: { customer: "\${ result.digits }" }
    exits: { collected: pin, exhausted: bye, error: bye }
  pin:
    collect: { prompt: { text: "Your PIN" }, digits: { length: 4 } }
    sensitive: true
    set: { pin: "\${ result.digits }" }
    exits: { collected: login, exhausted: bye, error: bye }
  login:
    request:
      post: "http://bank.example/login"
      headers: { authorization: "Bearer \${ secrets.bank }" }
      body: { customer: "\${ vars.customer }", pin: "\${ vars.pin }", channel: phone }
    exits: { ok: welcome, not_found: bye, failed: bye, error: bye }
  welcome: { play: { text: "Welcome" }, exits: { done: bye, error: bye } }
  bye: { hangup: normal }
`;
    const played = () =>
      journalOf(
        login,
        `
secrets: { bank: s3cret }
mocks: { login: {} }
script: [{ press: "908172" }, { press: "7391" }, { hear: Welcome }]
`,
      );
    const withoutTemplates = (journal: JournalEntry[]): JournalEntry[] =>
      journal.map((entry) => {
        const { templates: _templates, ...older } = entry as JournalEntry & { templates?: unknown };
        return older as JournalEntry;
      });

    it('sends the same values from the same flow', async () => {
      const journal = await played();
      expect(JSON.stringify(journal)).not.toMatch(/908172|7391|s3cret/);
      expect(await replayJournal(journal, flows(login))).toMatchObject({ ok: true });
      const other = login.replace('exhausted: bye', 'exhausted: $end');
      expect(await replayJournal(journal, flows(other))).toMatchObject({ ok: true, sameVersion: false });
    });

    it.each([
      ['another customer', 'customer: "${ vars.customer }"', 'customer: "${ vars.pin }"', 'body.customer', 'login'],
      ['a part of the PIN', 'pin: "${ vars.pin }"', 'pin: "${ $substring(vars.pin, 1) }"', 'body.pin', 'login'],
      ['another credential', 'secrets.bank', 'secrets.shop', 'headers.authorization', 'login'],
      ['a fixed customer', 'customer: "${ vars.customer }"', 'customer: "100000"', 'body.customer', 'login'],
    ])('detects a request that sends %s', async (_what, from, to, path, step) => {
      const journal = await played();
      const now = JSON.parse(/: (".*")$/.exec(to)?.[1] ?? '"Bearer ${ secrets.shop }"') as string;
      const other = 'and was made by another template (its value is masked)';
      const message = `${path} of ${step} is made by ${JSON.stringify(now)}, ${other}`;
      expect(await divergence(journal, login.replace(from, to))).toMatchObject({ step, message, level: 'steps' });
      // A journal of an older version does not contain this information.
      expect(await replayJournal(withoutTemplates(journal), flows(login.replace(from, to)))).toMatchObject({
        ok: true,
      });
    });

    it('detects a variable that is set from something else', async () => {
      const changed = login.replace('set: { pin: "${ result.digits }" }', 'set: { pin: "${ vars.customer }" }');
      expect(await divergence(await played(), changed)).toMatchObject({
        step: 'pin',
        message: expect.stringMatching(/^pin of pin is made by .*vars\.customer.*its value is masked/),
      });
    });

    it('does not distinguish a fixed text that equals a sensitive value by its fingerprint', async () => {
      const coincidence = login.replace('channel: phone', 'channel: "7391"');
      const journal = await journalOf(
        coincidence,
        'secrets: { bank: s }\nmocks: { login: {} }\nscript: [{ press: "908172" }, { press: "7391" }]',
      );
      const rendered = journal.find((entry) => entry.kind === 'rendered');
      expect(rendered).toMatchObject({ input: { body: { channel: MASK } } });
      expect(Object.keys(rendered?.kind === 'rendered' ? rendered.templates! : {})).not.toContain('/body/channel');
    });
  });

  it('equals anything, also inside a text', () => {
    expect(equalExceptMasks(MASK, { any: 'thing' })).toBe(true);
    expect(equalExceptMasks({ a: [MASK] }, { a: [1] })).toBe(true);
    expect(equalExceptMasks({ a: MASK }, {})).toBe(true);
    expect(equalExceptMasks(`Bearer ${MASK}`, 'Bearer abc')).toBe(true);
    expect(equalExceptMasks(`Bearer ${MASK}`, 'Basic abc')).toBe(false);
    expect(equalExceptMasks(`a${MASK}b${MASK}c`, 'a1b2c')).toBe(true);
    expect(equalExceptMasks(`a${MASK}b${MASK}c`, 'a1c')).toBe(false);
    expect(equalExceptMasks(`ab${MASK}ba`, 'aba')).toBe(false);
    expect(equalExceptMasks({ a: 1 }, { a: 1, b: 2 })).toBe(false);
    expect(equalExceptMasks([1], [1, 2])).toBe(false);
    expect(equalExceptMasks(1, '1')).toBe(false);
    expect(containsMask({ a: [{ b: `x${MASK}` }] })).toBe(true);
    expect(containsMask({ a: 1 })).toBe(false);
  });
});

describe('calls of every kind are repeated', () => {
  it('includes outgoing calls and their results', async () => {
    const hello =
      'flow: hello\nstart: a\nsteps: { a: { play: { text: "Hello you" }, exits: { done: $end, error: $end } } }';
    for (const callee of ['answer', 'busy', 'no_answer', '{ answer_after: 1s, talk: 100ms }']) {
      const journal = await journalOf(hello, `call: { direction: outbound, callee: ${callee} }`);
      expect(await replayJournal(journal, flows(hello))).toMatchObject({ ok: true });
    }
  });

  it('includes subflows, commands, refusals, webhooks and chance', async () => {
    const outer = `
flow: outer
start: ask
steps:
  ask: { webhook: { outcomes: [go] }, exits: { go: inner, timeout: bye, error: bye } }
  inner: { subflow: { flow: inner, outcomes: [back] }, exits: { done: bye, back: wait, error: bye } }
  wait: { wait_for: { events: [now], timeout: 1m }, exits: { now: random, timeout: bye } }
  random: { notify: { event: number, body: "\${ $random() }" }, exits: { done: bye } }
  bye: { hangup: normal }
`;
    const inner = `
flow: inner
start: say
steps:
  say: { play: { text: "Inside here" }, exits: { done: out, error: out } }
  out: { return: back }
`;
    const journal = await journalOf(
      outer,
      `
mocks: { ask: { body: { outcome: go }, after: 10ms } }
script:
  - hear: Inside
  - command: { event: { name: now }, refused: not_accepted_here }
  - wait: 5s
  - command: { event: { name: now } }
expect: { path: [ask, inner, inner/say, inner/out, wait, random, bye] }
`,
      [inner],
    );
    expect(await replayJournal(journal, flows(outer, inner))).toMatchObject({ ok: true });
    const found = await divergence(journal, outer, inner.replace('Inside here', 'In here'));
    expect(found).toMatchObject({ step: 'say', level: 'steps' });
  });
});

describe('calls of several parties', () => {
  const office = `
flow: office
start: hello
events: { "dtmf.*": aside }
steps:
  hello: { recording: start, exits: { started: ring, failed: bye } }
  ring: { bridge: { to: [[user:ann, user:ben], "+331"], ring_timeout: 5s, record: dual }, exits: { completed: both, failed: bye, error: bye } }
  aside: { play: { text: "One moment please" }, exits: { done: back, error: bye } }
  back: { resume: {}, exits: { done: both } }
  both: { parallel: { branches: { left: { flow: side }, right: { flow: side } }, until: all }, exits: { done: meet, error: bye } }
  meet: { conference: { name: daily, leave_key: "#" }, exits: { left: bye, ended: bye, full: bye, error: bye } }
  bye: { hangup: normal }
`;
  const side = 'flow: side\nstart: a\nsteps: { a: { pause: 1s, exits: { done: b } }, b: { return: fine } }';
  const scenario = `
mocks: { bridge: { "user:ann": busy, "user:ben": { answer_after: 1s, talk: 20s }, "+331": answer } }
script:
  - talks_with: user:ben
  - press: "5*"
  - hear: One moment
  - wait: 25s
  - press: "#"
`;
  const played = () => journalOf(office, scenario, [side]);

  it('are repeated with all their parties', async () => {
    const journal = await played();
    const kinds = new Set(journal.map(({ kind }) => kind));
    for (const kind of ['dialled', 'bridge', 'digit', 'recording', 'venue'] as const) expect(kinds).toContain(kind);
    expect(journal.some((entry) => entry.kind === 'entered' && entry.branch !== undefined)).toBe(true);
    expect(await replayJournal(journal, flows(office, side))).toMatchObject({ ok: true, followed: 0 });
  });

  it.each<[string, string, string, string]>([
    ['who is called', 'user:ben]', 'user:bea]', 'ring'],
    ['how long', 'ring_timeout: 5s', 'ring_timeout: 6s', 'ring'],
    ['what is heard aside', 'One moment', 'Two moments', 'aside'],
    ['where it meets', 'name: daily', 'name: weekly', 'meet'],
  ])('reports a divergence where the flow differs: %s', async (_what, from, to, step) => {
    expect(await divergence(await played(), office.replaceAll(from, to), side)).toMatchObject({ step });
  });

  it('repeats journals of an older version, which wrote no end of a bridge beside that of its call', async () => {
    const talk = `
flow: talk
start: ring
steps:
  ring: { bridge: { to: "user:ben" }, exits: { completed: bye, failed: bye, error: bye } }
  bye: { hangup: normal }
`;
    const journal = await journalOf(
      talk,
      `
mocks: { bridge: { "user:ben": answer } }
script: [{ talks_with: "user:ben" }, { wait: 5s }, hang_up]
`,
    );
    const isEnd = (entry: JournalEntry) => entry.kind === 'bridge' && entry.state === 'bridge_disconnected';
    expect(journal.some(isEnd)).toBe(true);
    const older = journal.filter((entry) => !isEnd(entry)).map((entry, index) => ({ ...entry, seq: index + 1 }));
    expect(await replayJournal(older, flows(talk))).toMatchObject({ ok: true });
    expect(await replayJournal(journal, flows(talk))).toMatchObject({ ok: true });
  });

  it('reports a divergence in the routes of a parallel flow', async () => {
    const other = side.replace('done: b', 'done: $end').replace(', b: { return: fine }', '');
    expect(await divergence(await played(), office, other)).toMatchObject({
      level: 'routes',
      message: 'done of a leads to the end of the flow, and led to b',
    });
  });

  it('are caught when a party, a number or a text was edited', async () => {
    const journal = await played();
    const spoils: [JournalEntry['kind'], (entry: JournalEntry) => void][] = [
      ['dialled', (entry) => entry.kind === 'dialled' && Object.assign(entry, { to: 'user:eve' })],
      ['command', (entry) => entry.kind === 'command' && entry.leg && Object.assign(entry, { leg: 'leg-99' })],
      ['bridge', (entry) => entry.kind === 'bridge' && Object.assign(entry, { state: 'failed' })],
      ['digit', (entry) => entry.kind === 'digit' && Object.assign(entry, { digit: '9' })],
      ['recording', (entry) => entry.kind === 'recording' && Object.assign(entry, { name: 'other' })],
      ['venue', (entry) => entry.kind === 'venue' && Object.assign(entry, { name: 'weekly' })],
    ];
    for (const [kind, spoil] of spoils) {
      for (const [index, entry] of journal.entries()) {
        if (entry.kind !== kind) continue;
        const edited = structuredClone(journal);
        spoil(edited[index]!);
        if (JSON.stringify(edited) === JSON.stringify(journal)) continue;
        expect((await replaySteps(edited, flows(office, side))).ok, JSON.stringify(edited[index])).toBe(false);
      }
    }
  });
});
