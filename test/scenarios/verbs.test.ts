/** Each verb on a call: actions of the party, and the outcome. */
import { describe, expect, it } from 'vitest';
import { rehearse, succeeds } from './rehearse.ts';

const flow = (steps: string, head = ''): string => `
flow: test
${head}
start: first
${head.includes('defaults:') ? '' : 'defaults: { exits: { error: broken } }'}
steps:
${steps}
  broken: { hangup: failure }
  bye: { hangup: normal }
`;

describe('play', () => {
  const greet = flow(`  first: { play: { prompt: { text: "Good morning" } }, next: bye }`);

  it('answers, plays to the end, hangs up', async () => {
    await succeeds(
      greet,
      `
script: [{ hear: Good morning }]
expect:
  path: [first, bye]
  outcomes: { first: done }
  heard: [Good morning]
  ended: { reason: completed, cause: 16 }
  duration: 857ms
`,
    );
  });

  it.each([0, 1, 500, 856])('is interrupted at millisecond %i', async (atMs) => {
    await succeeds(
      flow(`  first: { play: { prompt: { text: "Good morning" }, barge_in: true }, exits: { done: bye, interrupted: more } }
  more: { play: { prompt: { text: "You pressed a key" } }, next: bye }`),
      `
script:
  - hear: Good morning
  - press: { digits: "5", at: ${atMs}ms }
  - hear: You pressed
expect: { outcomes: { first: interrupted } }
`,
    );
  });

  it('is not interrupted once it is over', async () => {
    await succeeds(
      flow(
        `  first: { play: { prompt: { text: "Good morning" }, barge_in: true }, exits: { done: bye, interrupted: broken } }`,
      ),
      `
script: [{ hear: Good morning }]
expect: { outcomes: { first: done } }
`,
    );
  });

  it('repeats the whole prompt', async () => {
    await succeeds(
      flow(`  first: { play: { prompt: { tone: 440, duration: 1s }, repeat: 3 }, next: bye }`),
      'expect: { duration: 3s }',
    );
  });

  it('ends with the call', async () => {
    await succeeds(
      greet,
      `
script: [{ hear: Good morning }, { hang_up: { at: 100ms } }]
expect: { outcomes: { first: hangup }, ended: hangup, duration: 100ms }
`,
    );
  });

  it('is heard before the answer', async () => {
    await succeeds(
      flow(`  first: { play: { prompt: { text: "All lines are busy" }, early: true }, next: refuse }
  refuse: { reject: busy }`),
      `
script: [{ hear: All lines are busy }]
expect: { ended: { cause: User Busy }, path: [first, refuse] }
`,
    );
  });
});

describe('menu and collect', () => {
  const code = (keys: string): string =>
    flow(
      `  first:
    collect: { prompt: { text: "Your code" }, ${keys} }
    set: { code: "\${ result.digits }" }
    exits: { collected: bye, exhausted: bye }`,
      'vars: { code: { type: string } }',
    );

  it('counts no input five times, at exactly 5, 10, 15, 20 and 25 seconds', async () => {
    const silent = code('digits: { length: 4 }, attempts: 5, start_timeout: 5s').replace(
      'text: "Your code"',
      'silence: 0s',
    );
    const { journal } = await succeeds(
      silent,
      `
script: [silence, silence, silence, silence, silence]
expect: { outcomes: { first: exhausted.no_input }, duration: 25s }
`,
    );
    const deadlines = journal.filter((entry) => entry.kind === 'in' && entry.input.type === 'deadline');
    expect(deadlines.map(({ atMs }) => atMs - journal[0]!.atMs)).toEqual([5_000, 10_000, 15_000, 20_000, 25_000]);
  });

  it.each([
    ['length', 'digits: { length: 4 }', '1234', '1234'],
    ['a terminator', 'digits: { min: 1, max: 8, terminator: "#" }', '12#', '12'],
    ['the longest', 'digits: { min: 1, max: 3 }', '123', '123'],
  ])('collects digits by %s', async (_by, keys, pressed, digits) => {
    await succeeds(
      code(keys),
      `
script: [{ hear: Your code }, { press: "${pressed}" }]
expect: { outcomes: { first: collected }, vars: { code: "${digits}" } }
`,
    );
  });

  it('collects by silence after enough digits', async () => {
    await succeeds(
      code('digits: { min: 2, max: 8 }, inter_digit_timeout: 2s'),
      `
script: [{ hear: Your code }, { press: "123" }, silence]
expect: { vars: { code: "123" }, duration: { min: 2s, max: 4s } }
`,
    );
  });

  it('takes a digit in the last millisecond of start_timeout, and none after', async () => {
    const patient = code('digits: { length: 1 }, start_timeout: 5s, attempts: 1');
    const at = (ms: number): string => `
prompts: { }
script: [{ hear: Your code }, { press: { digits: "7", after: ${ms}ms } }]`;
    await succeeds(patient, `${at(4_999)}\nexpect: { outcomes: { first: collected } }`);
    const late = await rehearse(patient, `${at(5_001)}\nexpect: { outcomes: { first: exhausted.no_input } }`);
    // The call had ended before the digit: the script could not continue.
    expect(late.failures).toMatchObject([{ what: 'the script', expected: 'to press 7', actual: 'the call was over' }]);
  });

  it('barges in in the first millisecond, and in the last', async () => {
    for (const at of ['0ms', '1ms', '642ms']) {
      await succeeds(
        code('digits: { length: 1 }'),
        `
script: [{ hear: Your code }, { press: { digits: "7", at: ${at} } }]
expect: { vars: { code: "7" }, duration: ${at} }
`,
      );
    }
  });

  it('listens to the end without barge_in, and takes keys typed ahead', async () => {
    await succeeds(
      code('digits: { length: 2 }, barge_in: false'),
      `
script: [{ hear: Your code }, { press: { digits: "42", at: 0ms } }]
expect: { vars: { code: "42" }, duration: 643ms, heard: [Your code] }
`,
    );
  });

  const greeted = (typeahead: string): string =>
    flow(
      `  first: { play: { prompt: { text: "Welcome to the shop" } }, next: ask }
  ask:
    collect: { prompt: { text: "Your PIN" }, digits: { length: 4 }, typeahead: ${typeahead}, attempts: 1, start_timeout: 3s }
    set: { pin: "\${ result.digits }" }
    exits: { collected: choose, exhausted: bye }
  choose:
    menu: { prompt: { text: "One or two" }, choices: { one: { dtmf: "1" }, two: { dtmf: "2" } } }
    exits: { one: bye, two: bye, exhausted: broken }`,
      'vars: { pin: { type: string } }',
    );

  it('accepts a whole PIN and a choice typed ahead over three steps', async () => {
    await succeeds(
      greeted('keep'),
      `
script: [{ hear: Welcome }, { press: { digits: "12342", at: 10ms } }]
expect:
  outcomes: { first: done, ask: collected, choose: two }
  vars: { pin: "1234" }
  heard: [Welcome to the shop]
`,
    );
  });

  it('drops digits typed ahead where the step demands it', async () => {
    await succeeds(
      greeted('flush'),
      `
script: [{ hear: Welcome }, { press: { digits: "1234", at: 10ms } }, { hear: Your PIN }, silence]
expect: { outcomes: { ask: exhausted.no_input } }
`,
    );
  });

  it('repeats the prompt of each kind of failure, once for each attempt', async () => {
    await succeeds(
      flow(`  first:
    menu:
      prompt: { text: "One or two" }
      choices: { one: { dtmf: "1" }, two: { dtmf: "2" } }
      attempts: 4
      no_input: [{ text: "Nothing heard" }]
      no_match: [{ text: "No such choice" }, { text: "Again no such choice" }]
    exits: { one: bye, two: bye, exhausted: bye }`),
      `
script:
  - hear: One or two
  - press: "9"
  - hear: No such choice
  - silence
  - hear: Nothing heard
  - press: "8"
  - hear: Again no such choice
  - press: "7"
expect: { outcomes: { first: exhausted.no_match } }
`,
    );
  });

  it('reads back, and asks again when that was wrong', async () => {
    await succeeds(
      code(
        `digits: { length: 2 }, confirm: { prompt: "You said \${ result.digits }. Right?", accept: "1", retry: "2" }`,
      ),
      `
script:
  - hear: Your code
  - press: "12"
  - hear: You said 12
  - press: "2"
  - hear: Your code
  - press: "34"
  - hear: You said 34
  - press: "1"
expect: { vars: { code: "34" } }
`,
    );
  });

  it('ends with the call, in the same tick as its time-out', async () => {
    await succeeds(
      code('digits: { length: 2 }, start_timeout: 5s, attempts: 1'),
      `
script: [{ hear: Your code }, { hang_up: { at: 5643ms } }]
expect: { ended: { state: disconnected, cause: 16 }, duration: 5643ms }
`,
    );
  });
});

describe('record', () => {
  const voicemail = flow(`  first:
    record: { prompt: { text: "Speak now" }, max_length: 30s, end_silence: 4s }
    exits: { recorded: told, silence: bye }
  told: { notify: { event: message, body: { ms: "\${ steps.first.duration_ms }", by: "\${ steps.first.ended_by }" } }, next: bye }`);

  it.each([
    ['silence', '{ speak: 5s }', '{ ms: 9000, by: end_silence }', '13943ms'],
    ['the limit', '{ speak: 1m }', '{ ms: 30000, by: max_length }', '30943ms'],
  ])('ends the recording by %s', async (_by, act, body) => {
    await succeeds(
      voicemail,
      `
script: [{ hear: Speak now }, ${act}]
expect: { outcomes: { first: recorded }, notified: [{ event: message, body: ${body} }], dead_air: { max: 0s } }
`,
    );
  });

  it('is not ended by silence with end_silence: 0s', async () => {
    await succeeds(
      voicemail.replace('end_silence: 4s', 'end_silence: 0s'),
      `
script: [{ hear: Speak now }, { speak: 5s }]
expect: { notified: [{ event: message, body: { ms: 30000, by: max_length } }] }
`,
    );
  });

  it('ends by a key', async () => {
    await succeeds(
      voicemail,
      `
script: [{ hear: Speak now }, { speak: 5s }, { press: "#" }]
expect: { notified: [{ event: message, body: { ms: 5000, by: terminator } }] }
`,
    );
  });

  it('reports silence if the caller does not speak', async () => {
    await succeeds(voicemail, 'expect: { outcomes: { first: silence } }');
  });

  it('keeps what was said before the caller hung up', async () => {
    await succeeds(
      voicemail,
      `
script: [{ hear: beep }, { speak: 5s }, hang_up]
expect:
  outcomes: { first: recorded, told: done }
  notified: [{ event: message, body: { ms: 5000, by: hangup } }]
  ended: { cause: 16, state: disconnected }
`,
    );
  });
});

describe('the call', () => {
  it('is answered, refused, or hung up for a reason', async () => {
    await succeeds(
      flow('  first: { answer: {}, next: bye }'),
      'expect: { outcomes: { first: connected }, ended: { cause: 16 } }',
    );
    await succeeds(flow('  first: { reject: busy }'), 'expect: { ended: { cause: User Busy } }');
    await succeeds(flow('  first: { hangup: congestion }'), 'expect: { ended: { cause: 42 } }');
  });

  it('is paused, and sends digits', async () => {
    await succeeds(
      flow(`  first: { pause: 2s, next: send }
  send: { send_digits: { digits: "12w3", tone: 100ms, gap: 50ms }, next: bye }`),
      // Paused 2 s before the answer; 100 + 50 + 100 + 50 + 500 + 100 ms of digits.
      'expect: { received_digits: "123", duration: 2900ms }',
    );
  });

  it('is sent to an extension by the keys that the party that answers gets', async () => {
    await succeeds(
      flow(
        '  first: { bridge: { to: "+441", send_digits: "w205#", whisper: { text: caller } }, exits: { completed: bye, failed: bye } }',
      ),
      `mocks: { bridge: { "+441": { answer_after: 2s, talk: 5s } } }
expect:
  outcomes: { first: completed }
  parties: { "+441": { received_digits: "205#", heard: [caller] } }`,
    );
  });

  const outbound = flow(`  first: { play: { prompt: { text: "Your parcel is here" } }, next: bye }`);

  it.each([
    ['answers', '{ answer_after: 4s }', '{ path: [first, bye], heard: [Your parcel is here], ended: completed }'],
    [
      'answers and hangs up',
      '{ answer_after: 1s, talk: 500ms }',
      '{ outcomes: { first: hangup }, ended: hangup, duration: 1500ms }',
    ],
    ['is busy', 'busy', '{ path: [], ended: { reason: hangup, cause: User Busy, state: disconnected } }'],
    ['declines', 'declined', '{ path: [], ended: { cause: Call Rejected, state: disconnected } }'],
    ['does not answer', 'no_answer', '{ path: [], ended: { cause: No Answer, state: disconnected }, duration: 30s }'],
    ['cannot be reached', 'unreachable', '{ path: [], ended: { cause: 3, state: failed } }'],
    ['is refused by the network', '{ sip_status: 503 }', '{ path: [], ended: { cause: 41, state: failed } }'],
  ])('dials a party that %s', async (_does, callee, expected) => {
    await succeeds(outbound, `call: { direction: outbound, callee: ${callee} }\nexpect: ${expected}`);
  });
});

describe('logic', () => {
  it('sets, branches, repeats, logs and notifies', async () => {
    await succeeds(
      flow(
        `  first: { set: { round: "\${ vars.round + 1 }" }, next: say }
  say: { log: "round \${ vars.round }", next: again }
  again: { repeat: { times: 3, do: first }, exits: { limit: judge } }
  judge:
    branch:
      - { when: "vars.round >= 4", next: told }
      - { else: broken }
  told: { notify: { event: rounds, body: { count: "\${ vars.round }" } }, next: bye }`,
        'vars: { round: { type: integer, default: 0 } }',
      ),
      `
expect:
  visits: { first: 4, again: 4 }
  outcomes: { again: [done, done, done, limit], judge: case.1 }
  vars: { round: 4 }
  notified: [{ event: rounds, body: { count: 4 } }]
  duration: 0s
`,
    );
  });

  it.each([
    ['2026-03-02T09:30:00+01:00', 'open'],
    ['2026-03-02T18:00:00+01:00', 'closed'],
    ['2026-12-25T10:00:00+01:00', 'holiday'],
  ])('reports at %s the office as %s', async (at, state) => {
    await succeeds(
      flow(`  first:
    schedule: office
    exits: { open: bye, closed: bye, holiday: bye }`),
      `
at: ${at}
schedules: { office: { timezone: Europe/Paris, open: [{ days: [mon-fri], from: "09:00", to: "18:00" }], holidays: ["2026-12-25"] } }
expect: { outcomes: { first: ${state} } }
`,
    );
  });

  it('calls another flow and takes its outcome and output', async () => {
    await succeeds(
      flow(
        `  first:
    subflow: { flow: ask-pin, outcomes: [right, wrong], input: { digits: 2 } }
    set: { pin: "\${ result.pin }" }
    exits: { done: broken, right: bye, wrong: broken, hangup: bye }`,
        'vars: { pin: { type: string } }',
      ),
      `
script: [{ hear: Your PIN }, { press: "42" }]
expect:
  path: [first, ask-pin/ask, ask-pin/back, bye]
  outcomes: { first: right, ask: collected }
  vars: { pin: "42" }
`,
      [
        `
flow: ask-pin
input: { digits: { type: integer } }
start: ask
steps:
  ask: { collect: { prompt: { text: "Your PIN" }, digits: { length: 2 } }, exits: { collected: back, exhausted: nope, error: nope } }
  back: { return: { outcome: right, output: { pin: "\${ steps.ask.digits }" } } }
  nope: { return: wrong }
`,
      ],
    );
  });
});

describe('the outside world', () => {
  const lookup = (more = ''): string =>
    flow(`  first: { answer: {}, next: ask }
  ask:
    request: { get: "http://shop.example/", timeout: 2s, meanwhile: { tone: 440, duration: 700ms }, retry: { times: 2, backoff: 500ms } ${more} }
    exits: { ok: bye, not_found: bye, failed: bye }`);

  it.each([
    ['{ status: 200 }', 'ok', 0, '0s'],
    ['{ status: 200, after: 1s }', 'ok', 0, '1s'],
    ['{ status: 404 }', 'not_found', 0, '0s'],
    ['{ status: 418 }', 'failed.4xx', 0, '0s'],
    ['{ network: true }', 'failed.network', 2, '1500ms'],
    ['{ timeout: true }', 'failed.timeout', 2, '7500ms'],
    ['[{ status: 503 }, { after: 3s }, { status: 201 }]', 'ok', 2, '3500ms'],
  ])('maps an answer %s to %s', async (mock, outcome, retries, duration) => {
    await succeeds(
      lookup(),
      `
mocks: { ask: ${mock} }
expect: { outcomes: { ask: ${outcome} }, retries: { ask: ${retries} }, duration: ${duration}, dead_air: { max: 0s } }
`,
    );
  });

  it('counts the answer to a request after a hang-up, and plays nothing', async () => {
    await succeeds(
      lookup(),
      `
mocks: { ask: { after: 1s } }
script: [{ wait: 300ms }, hang_up]
expect: { outcomes: { ask: ok } }
`,
    );
  });

  it('lets a webhook choose within the declared outcomes', async () => {
    const asking = flow(
      `  first: { webhook: { outcomes: [vip, other] }, exits: { vip: bye, other: bye, timeout: bye } }`,
    );
    await succeeds(asking, 'mocks: { first: { body: { outcome: vip } } }\nexpect: { outcomes: { first: vip } }');
    await succeeds(
      asking,
      'mocks: { first: { body: { outcome: king } } }\nexpect: { outcomes: { first: error }, path: [first, broken] }',
    );
    await succeeds(
      asking,
      'mocks: { first: { timeout: true } }\nexpect: { outcomes: { first: timeout }, duration: 5s }',
    );
  });
});

describe('commands', () => {
  const waiting = flow(`  first: { answer: {}, next: idle }
  idle:
    wait_for: { events: [paid, refused], timeout: 1m }
    exits: { paid: thanks, refused: bye, timeout: bye }
  thanks: { play: { prompt: { text: "Thank you" } }, next: bye }`);

  it('continues on an event that a step waits for', async () => {
    await succeeds(
      waiting,
      `
script:
  - wait: 5s
  - command: { event: { name: paid, data: { sum: 3 } } }
  - hear: Thank you
  - command: { event: { name: paid }, refused: not_accepted_here }
expect: { outcomes: { idle: paid }, duration: 5643ms }
`,
    );
  });

  it('ends a call hung up by REST', async () => {
    await succeeds(waiting, 'script: [{ wait: 2s }, { command: hangup }]\nexpect: { ended: hangup, duration: 2s }');
  });

  it('accepts the first of a command and a timeout in the same tick', async () => {
    const first = '{ wait: 1m }, { command: { event: { name: paid } } }';
    await succeeds(waiting, `script: [${first}]\nexpect: { outcomes: { idle: paid } }`);
    const second = '{ wait: 30s }, { wait: 30s }, { command: { event: { name: paid }, refused: ended } }';
    await succeeds(waiting, `script: [${second}]\nexpect: { outcomes: { idle: timeout }, duration: 1m }`);
  });

  it('interrupts by key, event and duration', async () => {
    const interruptible = flow(
      `  first: { play: { prompt: { tone: 440, duration: 1m } }, next: bye }
  agent: { play: { prompt: { text: "An agent" } }, next: bye }
  urgent: { play: { prompt: { text: "Urgent news" } }, next: bye }
  long: { play: { prompt: { text: "Too long" } }, next: bye }`,
      'events: { dtmf.0: agent, event.urgent: urgent, max_duration: long }\nlimits: { max_duration: 30s }',
    );
    const on = (script: string, path: string) =>
      succeeds(interruptible, `script: [${script}]\nexpect: { path: [${path}] }`);
    await on('{ press: { digits: "50", at: 1s } }', 'first, agent, bye');
    await on('{ wait: 1s }, { command: { event: { name: urgent } } }', 'first, urgent, bye');
    await on('', 'first, long, bye');
  });
});
