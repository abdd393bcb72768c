import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { callweave, callweaveProcess, folderOf, ROOT } from './command.ts';

const GREETING = `flow: greeting
input: { name: { type: string, default: stranger } }
start: greet
steps:
  greet: { play: "Good day, \${ input.name }.", exits: { done: ask, error: bye } }
  ask:
    collect: { prompt: "Your code, please.", digits: { length: 2 }, attempts: 2, no_input: [ "Hello there?" ], no_match: [ "Hello there?" ] }
    exits: { collected: bye, exhausted: message, error: bye }
  message:
    record: { beep: false, end_silence: 1s }
    exits: { recorded: bye, silence: bye, error: bye }
  bye: { hangup: normal }
`;

test('runs a script as the caller: each line after the flow has finished speaking', async () => {
  using folder = folderOf({ 'greeting.flow.yaml': GREETING });
  const { code, out, err } = await callweaveProcess(['call', 'greeting.flow.yaml', '--input', 'name=Ada'], {
    cwd: folder.path,
    input: '42\n',
  });
  expect(out).toBe(
    [
      'call  answered',
      'hear  "Good day, Ada."',
      'step  greet: done → ask',
      'hear  "Your code, please."',
      'press 42',
      'step  ask: collected → bye',
      'call  the flow hung up (16 Normal Clearing)',
      '',
    ].join('\n'),
  );
  expect({ code, err }).toEqual({ code: 0, err: '' });
});

test('spends no real time on silence, speech and hanging up', async () => {
  using folder = folderOf({ 'greeting.flow.yaml': GREETING });
  const { out } = await callweave(['call', 'greeting.flow.yaml'], {
    cwd: folder.path,
    input: 'silence\nsilence\nspeak 90s\n',
  });
  expect(out).toBe(
    [
      'call  answered',
      'hear  "Good day, stranger."',
      'step  greet: done → ask',
      'hear  "Your code, please."',
      'hear  "Hello there?"',
      'step  ask: exhausted.no_input → message',
      'call  recording',
      'speak 90s',
      'step  message: recorded → bye',
      'call  the flow hung up (16 Normal Clearing)',
      '',
    ].join('\n'),
  );
  const gone = await callweave(['call', 'greeting.flow.yaml'], { cwd: folder.path, input: 'hang up\n' });
  expect(gone.out).toContain('call  you hung up (16 Normal Clearing)');
});

test('lets called parties answer, hang up and speak on command', async () => {
  const flow = `flow: office
start: ask
steps:
  ask:
    menu:
      prompt: "Alice or Bob?"
      choices: { alice: { say: [alice] }, bob: { say: [bob] } }
    exits: { alice: connect, bob: bye, exhausted: bye, error: bye }
  connect: { bridge: { to: "user:alice", whisper: "A call for you." }, exits: { completed: after, failed: bye, error: bye } }
  after: { play: "That was Alice.", exits: { done: bye, error: bye } }
  bye: { hangup: normal }
`;
  using folder = folderOf({ 'office.flow.yaml': flow });
  const { out } = await callweave(['call', 'office.flow.yaml'], {
    cwd: folder.path,
    input: 'say alice\nparty hangs up\n',
  });
  expect(out).toBe(
    [
      'call  answered',
      'hear  "Alice or Bob?"',
      'call  listening',
      'say   alice',
      'step  ask: alice → connect',
      'hear  ringing',
      'party user:alice rings',
      'party user:alice answers',
      'party user:alice hears "A call for you."',
      'call  talking with user:alice',
      'call  alone',
      'party user:alice left (16 Normal Clearing)',
      'step  connect: completed → after',
      'hear  "That was Alice."',
      'step  after: done → bye',
      'call  the flow hung up (16 Normal Clearing)',
      '',
    ].join('\n'),
  );
});

test('--json: prints the journal for trace and replay; the conversation goes to standard error', async () => {
  using folder = folderOf({ 'greeting.flow.yaml': GREETING });
  const called = await callweave(['call', 'greeting.flow.yaml', '--json', '--at', '2026-03-02T09:30:00+01:00'], {
    cwd: folder.path,
    input: '42\n',
  });
  expect(called.err).toContain('press 42');
  expect(called.json()).toMatchObject({ callId: 'call-1', entries: expect.arrayContaining([]) });
  using recorded = folderOf({ 'a.journal.json': called.out, 'greeting.flow.yaml': GREETING });

  const traced = await callweave(['trace', 'a.journal.json'], { cwd: recorded.path });
  expect(traced.out).toMatch(/^2026-03-02T08:30:00\.000Z\n {4}0\.000 {2}inbound call from \+33612345678 to 1000/);
  expect(traced.out).toMatch(/< presses 4\n.*< presses 2\n.*= collected \{"digits":"42"\}/);

  const repeated = await callweave(['replay', '.', '--flows', '.'], { cwd: recorded.path });
  expect(repeated.out).toMatch(
    /^ok a\.journal\.json: \d+ entries, the same version of the flow\n1 call replayed, 0 diverged\n$/,
  );
  expect(repeated.code).toBe(0);
});

test('replay: shows the first difference with the line of the flow, and exits with 1', async () => {
  using folder = folderOf({ 'greeting.flow.yaml': GREETING });
  const called = await callweave(['call', 'greeting.flow.yaml', '--json'], { cwd: folder.path, input: '42\n' });
  using changed = folderOf({
    'a.journal.json': called.out,
    'greeting.flow.yaml': GREETING.replace('{ collected: bye, ', '{ collected: message, '),
  });
  const ran = await callweave(['replay', 'a.journal.json', '--flows', '.'], { cwd: changed.path });
  expect(ran.code).toBe(1);
  expect(ran.out).toMatch(/^DIVERGED a\.journal\.json: at entry \d+\n/);
  expect(ran.out).toContain(
    'greeting.flow.yaml:6:3 error replay-routes: collected of ask leads to message, and led to bye',
  );
  const asJson = await callweave(['replay', 'a.journal.json', '--flows', '.', '--json'], { cwd: changed.path });
  expect(asJson.json()).toMatchObject({
    ok: false,
    calls: [{ call: 'a.journal.json', ok: false, divergence: { level: 'routes', step: 'ask', place: { line: 6 } } }],
  });
});

test.each([
  [['--input', 'nobody=1'], /there is no input nobody; the flow takes name/],
  [['--input', 'name'], /name is not an input/],
  [['--header', 'X Customer: 17'], /X Customer: 17 is not a SIP header/],
  [['--at', 'yesterday'], /yesterday is not a date and time/],
])('rejects the option %j', async (args, message) => {
  using folder = folderOf({ 'greeting.flow.yaml': GREETING });
  const { code, err } = await callweave(['call', 'greeting.flow.yaml', ...args], { cwd: folder.path });
  expect(err).toMatch(message);
  expect(code).toBe(2);
});

test('--header: gives the caller SIP headers', async () => {
  const flow = `flow: headers
start: say
steps:
  say: { play: "Customer \${ call.headers.\`x-customer\` }", exits: { done: bye, error: bye } }
  bye: { hangup: normal }
`;
  using folder = folderOf({ 'headers.flow.yaml': flow });
  const given = ['--header', 'X-Customer: 17', '--header', 'X-Other:b'];
  const { out } = await callweave(['call', 'headers.flow.yaml', ...given], { cwd: folder.path });
  expect(out).toContain('Customer 17');
});

const TYPED = `flow: typed
input:
  zip: { type: string }
  days: { type: integer, minimum: 1 }
  paid: { type: boolean, default: false }
  items: { type: array, default: [] }
  note: { type: [string, "null"], default: none }
  any: { default: 0 }
start: say
steps:
  say: { play: "Given: \${ $string(input) }", exits: { done: bye, error: bye } }
  bye: { hangup: normal }
`;

test('--input is read by its declared type: digits stay text where text is declared', async () => {
  using folder = folderOf({ 'typed.flow.yaml': TYPED });
  const call = (...given: string[]) =>
    callweave(['call', 'typed.flow.yaml', ...given.flatMap((each) => ['--input', each])], { cwd: folder.path });
  const { out } = await call('zip=01234', 'days=3', 'paid=true', 'items=[1, "two"]', 'note=null', 'any={"a": 1}');
  const said = (JSON.parse(/hear {2}(".*")\n/.exec(out)![1]!) as string).slice('Given: '.length);
  expect(JSON.parse(said)).toEqual({ zip: '01234', days: 3, paid: true, items: [1, 'two'], note: null, any: { a: 1 } });
  expect((await call('zip=77', 'days=3', 'any=words')).out).toContain(String.raw`\"zip\":\"77\"`);
  for (const [given, message] of [
    ['days=x', 'input `days` is a whole number, and "x" is not'],
    ['days=1.5', 'input `days` is a whole number, and "1.5" is not'],
    ['paid=yes', 'input `paid` is true or false, and "yes" is not'],
    ['items=one', 'input `items` is a list, and "one" is not\n  hint: write it as JSON'],
    ['days=0', 'input days: must be at least 1'],
  ]) {
    const wrong = await call(given!);
    expect(wrong.err).toContain(message);
    expect(wrong.code).toBe(2);
  }
});

const SCREENED = `flow: screened
start: connect
steps:
  connect:
    bridge: { to: "user:alice", screen: { prompt: "Press 5 to take the call.", accept: "5" } }
    exits: { completed: bye, failed.screened: sorry, failed: bye, error: bye }
  sorry: { play: "Nobody took the call.", exits: { done: bye, error: bye } }
  bye: { hangup: normal }
`;

test('lets the other side of a screened call press a key', async () => {
  using folder = folderOf({ 'screened.flow.yaml': SCREENED });
  const taken = await callweave(['call', 'screened.flow.yaml'], {
    cwd: folder.path,
    input: 'party presses 5\nparty hangs up\n',
  });
  expect(taken.out).toBe(
    [
      'party user:alice rings',
      'party user:alice answers',
      'party user:alice hears "Press 5 to take the call."',
      'party user:alice presses 5',
      'call  answered',
      'call  talking with user:alice',
      'call  alone',
      'party user:alice left (16 Normal Clearing)',
      'step  connect: completed → bye',
      'call  the flow hung up (16 Normal Clearing)',
      '',
    ].join('\n'),
  );
  const refused = await callweave(['call', 'screened.flow.yaml'], {
    cwd: folder.path,
    input: 'party presses 1\nparty presses 2\n',
  });
  expect(refused.out).toContain('party user:alice presses 2\n');
  expect(refused.out).toContain('hear  "Nobody took the call."');
});

/** A time in milliseconds may contain any digits. */
const withoutTimes = (text: string): string => text.replaceAll(/"atMs": \d+/g, '');

test('masks sensitive keys, words and prompts on screen', async () => {
  const flow = `flow: secret
vars: { pin: { type: string, sensitive: true } }
start: order
steps:
  order: { collect: { prompt: "Your order, please.", digits: { length: 3 }, attempts: 1 }, exits: { collected: ask, exhausted: bye, error: bye } }
  ask:
    collect: { prompt: "Your code, please.", digits: { length: 4 }, attempts: 1, confirm: { prompt: "You entered \${ result.digits }.", accept: "1", retry: "2" } }
    set: { pin: "\${ result.digits }" }
    exits: { collected: again, exhausted: bye, error: bye }
  again: { play: "Your code is \${ vars.pin }.", exits: { done: bye, error: bye } }
  bye: { hangup: normal }
`;
  using folder = folderOf({ 'secret.flow.yaml': flow });
  for (const input of ['123\n9876\n1\n', '1239876\n1\n']) {
    const { out, err } = await callweave(['call', 'secret.flow.yaml', '--json'], { cwd: folder.path, input });
    expect(err).toContain('press 123');
    expect(err).toMatch(/press ••••\n|press 123••••\n/);
    expect(err).toContain('hear  "•••"\n');
    expect(err).toContain('hear  "Your code is •••."');
    expect(withoutTimes(err + out)).not.toContain('9876');
  }
});

test('rejects an unknown line of a script before the call starts', async () => {
  using folder = folderOf({ 'greeting.flow.yaml': GREETING });
  const { code, out, err } = await callweave(['call', 'greeting.flow.yaml'], { cwd: folder.path, input: '1\nsing\n' });
  expect(err).toContain('line 2 of the input: unknown action sing');
  expect({ code, out }).toEqual({ code: 2, out: '' });
});

test('keeps the digits of a sensitive flow out of the journal', async () => {
  const { out } = await callweave(['call', join(ROOT, 'flows/pin-entry.flow.yaml'), '--json'], {
    input: '10017\n1\n9876\n',
  });
  expect(out).toContain('10017');
  expect(withoutTimes(out)).not.toContain('9876');
  expect(readFileSync(join(ROOT, 'flows/pin-entry.flow.yaml'), 'utf8')).toContain('sensitive: true');
});

const WAKE_UP = `flow: hotel
start: order
steps:
  order: { call: { to: "\${ call.from }", in: 30m, flow: wake-up, key: "\${ call.from }" }, exits: { placed: again, refused: sorry, error: broken } }
  again: { call: { to: "\${ call.from }", in: 1h, flow: wake-up, key: "\${ call.from }" }, exits: { placed: cancel, refused: sorry, error: broken } }
  cancel: { cancel_call: "\${ call.from }", exits: { cancelled: abroad, not_found: broken, error: broken } }
  abroad: { call: { to: "+4930123456", flow: wake-up }, exits: { placed: broken, refused: late, error: broken } }
  late: { cancel_call: "\${ call.from }", exits: { cancelled: broken, not_found: said, error: broken } }
  said: { play: "We call you at \${ steps.again.at }; abroad is \${ steps.abroad.reason }.", exits: { done: bye, error: bye } }
  sorry: { play: "It was refused.", exits: { done: bye, error: bye } }
  broken: { play: "It is broken.", exits: { done: bye, error: bye } }
  bye: { hangup: normal }
flows:
  wake-up: { start: say, steps: { say: { play: "Good morning.", exits: { done: $end, error: $end } } } }
`;

test('accepts, replaces, cancels and refuses orders of calls as the service does', async () => {
  using folder = folderOf({ 'hotel.flow.yaml': WAKE_UP });
  const { out } = await callweave(
    ['call', 'hotel.flow.yaml', '--at', '2026-03-02T08:30:00Z', '--from', '+33612345678'],
    {
      cwd: folder.path,
      input: '\n',
    },
  );
  expect(out.split('\n').filter((line) => !line.startsWith('step'))).toEqual([
    'call  the flow orders a call to +33612345678 at 2026-03-02T09:00:00.000Z, flow hotel/wake-up',
    'call  the flow orders a call to +33612345678 at 2026-03-02T09:30:00.000Z, flow hotel/wake-up',
    'call  answered',
    'hear  "We call you at 2026-03-02T09:30:00.000Z; abroad is not_callable."',
    'call  the flow hung up (16 Normal Clearing)',
    '',
  ]);
});
