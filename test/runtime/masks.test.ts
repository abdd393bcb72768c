import { describe, expect, it } from 'vitest';
import { replayJournal } from '../../src/proof/testkit/replay.ts';
import { Mask } from '../../src/service/runtime/mask.ts';
import { cpuTimeMs } from '../cpu-time.ts';
import { flowText, startSteps } from '../steps/scripted-call.ts';
import { flowOf, startCall } from './test-call.ts';

type Call = Awaited<ReturnType<typeof startSteps>>;

/** Everything that leaves the run: journal, checkpoints, records, deliveries. */
const written = (call: Call): string => JSON.stringify(call.writes);

function expectHidden(call: Call, ...secrets: string[]): void {
  for (const secret of secrets) expect(written(call)).not.toContain(secret);
  expect(written(call)).not.toMatch(/"digit":"[0-9]"/);
}

const END = 'exits: { ok: bye, not_found: bye, failed: bye }';

describe('the digits of a sensitive step', () => {
  const ask = 'collect: { prompt: { text: PIN? }, digits: { length: 4 }, attempts: 2 }, sensitive: true';

  it.each([
    ['pressed', '4711'],
    ['with the terminator', '4711#'],
    ['in the second attempt', '47#4711'],
  ])('are written nowhere: %s', async (_name, digits) => {
    const call = await startSteps(`  first: { ${ask}, exits: { collected: bye, exhausted: bye } }`);
    await call.press(digits);
    expectHidden(call, '4711');
    expect(call.journal().find((entry) => entry.kind === 'left')).toMatchObject({ sensitive: true });
  });

  it('are not stored if they were typed ahead', async () => {
    const call = await startSteps(`
  first: { pause: 1s, next: ask }
  ask: { ${ask}, exits: { collected: bye, exhausted: bye } }`);
    await call.tell({ type: 'answered' });
    await call.press('4711');
    await call.clock.advance(1_000);
    expect(call.outcomes()).toContain('ask:collected');
    expectHidden(call, '4711');
  });

  it('are not stored if they were typed into an interruptible prompt', async () => {
    const call = await startSteps(`
  first: { play: { text: Hello, barge_in: true }, next: ask }
  ask: { ${ask}, exits: { collected: bye, exhausted: bye } }`);
    // The first key only ends the prompt, and is hidden for all that: who knows the way means the PIN by it.
    await call.press('44711');
    expect(call.outcomes()).toContain('ask:collected');
    expectHidden(call, '4711');
  });

  it('are not stored if they were typed ahead of a flow that asks for them', async () => {
    const call = await startSteps('  first: { pause: 1s, next: call }\n  call: { subflow: outer, next: bye }', {
      flows: {
        outer: flowText('  first: { subflow: inner, next: $end }'),
        inner: flowText(`  first: { ${ask}, exits: { collected: $end, exhausted: $end } }`),
      },
    });
    await call.tell({ type: 'answered' });
    await call.press('4711');
    await call.clock.advance(1_000);
    expect(call.outcomes()).toContain('call:done');
    expectHidden(call, '4711');
  });

  it('are not stored if they were typed ahead of an unknown flow', async () => {
    const call = await startSteps(
      `
  first: { wait_for: { events: [flow], commands: true }, exits: { flow: flow } }
  flow: { subflow: "\${ steps.first.data }", next: bye }`,
      { flows: { inner: flowText(`  first: { ${ask}, exits: { collected: $end, exhausted: $end } }`) } },
    );
    await call.tell({ type: 'answered' });
    await call.press('4711');
    await call.command({ type: 'flow', flow: 'inner', input: {} });
    expect(call.outcomes()).toContain('flow:done');
    expectHidden(call, '4711');
  });

  it('are not written by the prompt that reads them back', async () => {
    for (const [length, digits] of [
      [4, '4711'],
      [2, '42'],
    ] as const) {
      const call = await startSteps(`
  first:
    collect:
      prompt: { text: PIN? }
      digits: { length: ${length} }
      confirm: { prompt: "You typed \${ result.digits }, right?" }
    sensitive: true
    exits: { collected: bye, exhausted: bye }`);
      await call.press(digits);
      expect(call.lastPlay().audio).toMatchObject([{ text: `You typed ${digits}, right?` }]);
      await call.press('1');
      expect(call.outcomes()).toEqual(['first:collected', 'bye:done']);
      expectHidden(call, `typed ${digits}`, `"${digits}"`);
    }
  });
});

describe('digits that are not sensitive', () => {
  it('are stored without sensitive', async () => {
    const call = await startSteps(
      '  first: { collect: { digits: { length: 2 } }, exits: { collected: bye, exhausted: bye } }',
    );
    await call.press('42');
    expect(written(call)).toMatch(/"digit":"4"/);
    expect(call.journal().find((entry) => entry.kind === 'left')).not.toHaveProperty('sensitive');
  });

  it('appears as a result although earlier digits are masked', async () => {
    const call = await startSteps(`
  first: { collect: { digits: { length: 2 }, barge_in: false, prompt: { text: Q } }, exits: { collected: pin, exhausted: bye } }
  pin: { collect: { digits: { length: 4 } }, sensitive: true, exits: { collected: bye, exhausted: bye } }`);
    await call.press('42');
    await call.finishPlay();
    const left = call.journal().find((entry) => entry.kind === 'left');
    expect(left).toMatchObject({ step: 'first', result: { digits: '42' } });
    expect(left).not.toHaveProperty('sensitive');
  });
});

describe('a sensitive variable', () => {
  const vars =
    'vars: { pin: { type: string, sensitive: true }, copy: { type: string }, n: { type: integer, sensitive: true } }';

  it('is hidden wherever it turns up, in checkpoints too', async () => {
    const call = await startSteps(
      `
  first: { request: { get: "https://x.example/" }, set: { pin: "\${ result.body.a }" }, exits: { ok: send, not_found: bye, failed: bye } }
  send: { request: { post: "https://x.example/", body: { pin: "\${ vars.pin }", text: "it is \${ vars.pin }!" } }, ${END} }`,
      { head: vars },
    );
    call.requests[0]!.answer({ ok: true, status: 200, headers: { 'x-a': 'tip-top' }, body: { a: 'tip-top' } });
    await call.clock.settle();
    expect(call.requests[1]!.request.body).toEqual({ pin: 'tip-top', text: 'it is tip-top!' });
    call.requests[1]!.answer({ ok: true, status: 200, headers: {}, body: 'tip-top is right' });
    await call.clock.settle();
    expectHidden(call, 'tip-top');
  });

  it('is masked in the answer of the webhook that assigns it', async () => {
    const call = await startSteps(
      '  first: { webhook: { outcomes: [yes_] }, exits: { yes_: wait, timeout: bye } }\n  wait: { pause: 1h, next: bye }',
      {
        head: vars,
        spec: { eventUrl: 'https://app.example/' },
      },
    );
    const body = { outcome: 'yes_', set: { pin: 'tip-top', copy: 'so tip-top it is' } };
    call.requests[0]!.answer({ ok: true, status: 200, headers: {}, body });
    await call.clock.settle();
    expect(call.path()).toEqual(['first', 'wait']);
    expectHidden(call, 'tip-top');
  });

  it('is hidden as a number', async () => {
    const call = await startSteps(
      '  first: { set: { n: 123456 }, next: send }\n  send: { request: { post: "https://x.example/", body: { n: "${ vars.n }", text: "n ${ vars.n }" } }, ' +
        `${END} }`,
      { head: vars },
    );
    expect(call.requests[0]!.request.body).toEqual({ n: 123456, text: 'n 123456' });
    expect(
      JSON.stringify(
        call.writes
          .slice(0)
          .flatMap(({ entries }) => entries)
          .filter(({ kind }) => kind === 'request'),
      ),
    ).not.toContain('123456');
  });

  it('is masked as a whole word if it is short', async () => {
    const call = await startSteps(
      `
  first: { collect: { digits: { length: 2 } }, sensitive: true, set: { pin: "\${ result.digits }" }, exits: { collected: send, exhausted: bye } }
  send: { request: { post: "https://x.example/", body: { pin: "\${ vars.pin }", list: ["\${ vars.pin }"], other: "42nd street" } }, ${END} }`,
      { head: vars },
    );
    await call.press('42');
    expect(call.requests[0]!.request.body).toEqual({ pin: '42', list: ['42'], other: '42nd street' });
    expect(call.journal().find(({ kind }) => kind === 'request')).toMatchObject({
      body: { pin: '•••', list: ['•••'], other: '42nd street' },
    });
  });

  it('is masked in the output at the end of the flow', async () => {
    const call = await startSteps('  first: { set: { pin: tip-top }, next: $end }', {
      head: `${vars}\noutput: { pin: "\${ vars.pin }" }`,
    });
    await call.hangUp();
    expect(call.journal().at(-1)).toMatchObject({ kind: 'ended', output: { pin: '•••' } });
  });

  it('is hidden in the words of an error', async () => {
    const call = await startSteps(
      `
  first: { request: { get: "https://x.example/" }, set: { pin: "\${ result.body.a }" }, exits: { ok: spoil, not_found: bye, failed: bye } }
  spoil: { branch: [{ when: "$number(vars.pin) > 1", next: bye }, { else: bye }] }`,
      { head: `${vars}\ndefaults: {}` },
    );
    call.requests[0]!.answer({ ok: true, status: 200, headers: {}, body: { a: 'tip-top' } });
    await call.clock.settle();
    await call.hangUp();
    expect(call.journal().at(-1)).toMatchObject({ reason: 'fault' });
    expectHidden(call, 'tip-top');
  });
});

describe('a sensitive input', () => {
  const head = 'input: { pin: { type: string, sensitive: true }, name: { type: string } }';
  const send = `  first: { request: { post: "https://x.example/", body: { pin: "\${ input.pin }" } }, ${END} }`;

  it('is hidden from the start', async () => {
    const call = await startSteps(send, { head, spec: { input: { pin: 'tip-top', name: 'Ann' } } });
    expect(call.requests[0]!.request.body).toEqual({ pin: 'tip-top' });
    expect(call.journal()[0]).toMatchObject({ kind: 'started', input: { pin: '•••', name: 'Ann' } });
    expectHidden(call, 'tip-top');
  });

  it('is masked in a called or requested flow', async () => {
    const call = await startSteps(
      `
  first: { wait_for: { events: [flow], commands: true }, exits: { flow: flow } }
  flow: { subflow: "\${ steps.first.data }", next: bye }`,
      { flows: { inner: flowText(send, head) } },
    );
    await call.command({ type: 'flow', flow: 'inner', input: { pin: 'tip-top' } });
    expect(call.requests[0]!.request.body).toEqual({ pin: 'tip-top' });
    expectHidden(call, 'tip-top');
  });
});

describe('secrets', () => {
  it('masks secrets in headers and credentials, even after an expression', async () => {
    const call = await startSteps(
      `
  first:
    request:
      get: "https://x.example/"
      headers:
        x-key: "\${ secrets.key }"
        x-short: "\${ secrets.short }"
        x-basic: "Basic \${ $base64encode('me:' & secrets.key) }"
        x-plain: plain
      auth: { bearer: "\${ $uppercase(secrets.key) }" }
    ${END}`,
      { spec: { secrets: { key: 'tip-top', short: 'ab', nested: { deep: 'deepest' } } } },
    );
    expect(call.requests[0]!.request.headers).toEqual({
      'x-key': 'tip-top',
      'x-short': 'ab',
      'x-basic': 'Basic bWU6dGlwLXRvcA==',
      'x-plain': 'plain',
      authorization: 'Bearer TIP-TOP',
    });
    expectHidden(call, 'tip-top', 'TIP-TOP', 'bWU6dGlwLXRvcA', '"ab"');
    expect(written(call)).toContain('plain');
  });

  it('are masked if an answer repeats them', async () => {
    const call = await startSteps(`  first: { request: { get: "https://x.example/" }, ${END} }`, {
      spec: { secrets: { key: 'tip-top' } },
    });
    call.requests[0]!.answer({ ok: true, status: 403, headers: { 'x-k': 'tip-top' }, body: 'bad key tip-top' });
    await call.clock.settle();
    expectHidden(call, 'tip-top');
  });

  it('are not there for conditions', async () => {
    await expect(
      startSteps('  first: { branch: [{ when: "secrets.key = \'x\'", next: bye }, { else: bye }] }'),
    ).rejects.toThrow('secret-place');
  });
});

describe('a sensitive request', () => {
  it('is written without what it sent and what it was answered', async () => {
    const call = await startSteps(
      `  first: { request: { post: "https://x.example/", body: { a: from-us } }, sensitive: true, ${END} }`,
    );
    const headers = { 'set-cookie': 'session=tip-top' };
    call.requests[0]!.answer({ ok: true, status: 200, headers, body: { name: 'from-them' } });
    await call.clock.settle();
    expectHidden(call, 'tip-top', 'from-them');
    expect(call.journal().find(({ kind }) => kind === 'request')).toMatchObject({ body: '•••' });
  });
});

describe('a sensitive step of any verb', () => {
  it('is written without what expressions made of its arguments', async () => {
    const call = await startSteps(
      `
  first: { request: { post: "https://x.example/", body: { n: "\${ input.n }" } }, sensitive: true, exits: { ok: dial, not_found: bye, failed: bye } }
  dial: { send_digits: "\${ input.n }", sensitive: true, next: bye }`,
      { head: 'input: { n: { type: string } }', spec: { input: { n: '98' } } },
    );
    call.requests[0]!.answer({ ok: true, status: 200, headers: {}, body: {} });
    await call.clock.settle();
    await call.tell({ type: 'answered' });
    expect(call.commands).toContainEqual(expect.objectContaining({ type: 'send_digits', digits: '98' }));
    const entries = call.journal().filter(({ kind }) => kind !== 'started' && kind !== 'in');
    expect(JSON.stringify(entries)).not.toContain('"98"');
  });
});

describe('a mask', () => {
  it('hides the longer of two values of which one is in the other', () => {
    const mask = new Mask();
    mask.learn(['4711', '471199', '99471199']);
    expect(mask.apply('a 471199 b 4711 c 99471199')).toBe('a ••• b ••• c •••');
  });

  it('hides what is inside of anything', () => {
    const mask = new Mask();
    mask.learn({ deep: ['tip-top'] });
    expect(mask.apply({ a: [{ b: 'so tip-top' }], c: 'tip-top' })).toEqual({ a: [{ b: 'so •••' }], c: '•••' });
  });

  it('does not mask every digit of a journal for a short number', () => {
    const mask = new Mask();
    mask.learn({ status: 200, digits: '7', nothing: '', no: null, yes: true });
    expect(mask.apply({ from: '+33612002345', n: 2001, s: '77', e: '', no: null, yes: true })).toEqual({
      from: '+33612002345',
      n: 2001,
      s: '77',
      e: '',
      no: null,
      yes: true,
    });
    expect(mask.apply({ a: 200, b: '7' })).toEqual({ a: '•••', b: '•••' });
    const ofResults = new Mask();
    ofResults.learn({ status: 200, body: 'tip-top' }, { shortNumbers: false });
    expect(ofResults.apply({ status: 200, body: 'tip-top' })).toEqual({ status: 200, body: '•••' });
  });

  it('learns a bounded number of values', () => {
    const mask = new Mask();
    mask.learn('tip-top');
    mask.learn(Array.from({ length: 100_000 }, (_, index) => `value ${index}`));
    const started = cpuTimeMs();
    expect(mask.apply(Array(200).fill('so tip-top it is'))).toEqual(Array(200).fill('so ••• it is'));
    expect(cpuTimeMs() - started).toBeLessThan(2_000);
  });

  it('is not learnt as a value', () => {
    const mask = new Mask();
    mask.learn('•••');
    expect(mask.apply('a ••• b')).toBe('a ••• b');
  });
});

describe('a step that fills a sensitive variable', () => {
  it('is sensitive without declaring it', async () => {
    const call = await startCall(`
flow: pin
start: ask
vars: { pin: { type: string, sensitive: true } }
defaults: { exits: { error: bye } }
steps:
  ask:
    collect: { prompt: { text: "Your PIN" }, digits: { length: 4 } }
    set: { pin: "\${ result.digits }" }
    exits: { collected: bye, exhausted: bye }
  bye: { hangup: normal }
`);
    await call.press('4711');
    expect(call.path()).toEqual(['ask', 'bye']);
    expect(JSON.stringify(call.writes)).not.toMatch(/4711|"digit":"[0-9]"/);
  });
});

describe('sensitive SIP headers', () => {
  const SENSITIVE = { ports: { sensitiveHeaders: ['x-token'] } };

  it('are available to the flow only, if they come from the caller', async () => {
    const call = await startSteps('  first: { log: "${ call.headers.`x-token` }", next: bye }', {
      ...SENSITIVE,
      spec: { headers: { 'x-token': 'tip-top', 'x-plain': 'plain' } },
    });
    expectHidden(call, 'tip-top');
    expect(call.journal()[0]).toMatchObject({ headers: { 'x-token': '•••', 'x-plain': 'plain' } });
    expect(call.run.record.headers).toEqual({ 'x-token': '•••', 'x-plain': 'plain' });
  });

  const STEPS = `  first:
    bridge: { to: "user:a", headers: { X-Token: "\${ 'tip' & '-top' }", X-Plain: "\${ 'pl' & 'ain' }" } }
    exits: { completed: bye, failed: bye, error: bye }`;

  it('are sent, and stored nowhere, if a flow sets them', async () => {
    const call = await startSteps(STEPS, SENSITIVE);
    await call.tell({ type: 'answered' });
    expect(call.dialled[0]?.headers).toEqual({ 'X-Token': 'tip-top', 'X-Plain': 'plain' });
    expectHidden(call, 'tip-top');
    expect(written(call)).toContain('plain');
    const flow = flowOf(flowText(STEPS));
    expect(await replayJournal(call.journal(), () => flow)).toMatchObject({ ok: true });
    const other = flowOf(flowText(STEPS.replace('ain', 'ane')));
    expect(await replayJournal(call.journal(), () => other)).toMatchObject({ ok: false });
  });

  it('are masked in the answer and in the final event', async () => {
    const call = await startSteps('  first: { pause: 60s, next: bye }', SENSITIVE);
    await call.tell({ type: 'answered' });
    await call.tell({
      type: 'ended',
      cause: { code: 16, reason: 'Normal Clearing' },
      by: 'far',
      headers: { 'x-token': 'tip-top' },
    });
    expectHidden(call, 'tip-top');
  });

  it('are masked if REST sets them to hang up', async () => {
    const call = await startSteps('  first: { pause: 60s, next: bye }', SENSITIVE);
    await call.command({ type: 'hangup', cause: 16, headers: { 'X-Token': 'tip-top' } });
    expect(call.commands.at(-1)).toEqual({ type: 'hangup', cause: 16, headers: { 'X-Token': 'tip-top' } });
    expectHidden(call, 'tip-top');
  });
});
