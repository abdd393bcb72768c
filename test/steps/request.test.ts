import { describe, expect, it } from 'vitest';
import type { HttpReply } from '../../src/base/core/http-exchange.ts';
import type { TestCall } from '../runtime/test-call.ts';
import { heard, startSteps } from './scripted-call.ts';

const ok = (body: unknown = {}, status = 200): HttpReply =>
  ({ ok: true, status, headers: {}, body }) as Extract<HttpReply, { ok: true }>;
const failed = (reason: Extract<HttpReply, { ok: false }>['reason']): HttpReply => ({
  ok: false,
  reason,
  message: `it was ${reason}`,
});

const EXITS = 'exits: { ok: bye, not_found: bye, failed: bye }';

const requesting = (args: string, options: Parameters<typeof startSteps>[1] = {}, more = '') =>
  startSteps(`  first: { request: { ${args} }, ${EXITS}${more} }`, options);

async function answer(call: TestCall, reply: HttpReply): Promise<void> {
  call.requests.at(-1)!.answer(reply);
  await call.clock.settle();
}

const GET = 'get: "https://crm.example/x"';

describe('request: what is sent', () => {
  it.each([
    [GET, { method: 'GET', url: 'https://crm.example/x', headers: {}, timeoutMs: 5_000, name: 'first' }],
    ['post: "https://crm.example/x", body: { a: 1 }', { method: 'POST', body: { a: 1 } }],
    ['put: "https://crm.example/x", body: text', { method: 'PUT', body: 'text' }],
    ['patch: "https://crm.example/x", timeout: 900ms', { method: 'PATCH', timeoutMs: 900 }],
    ['delete: "https://crm.example/${ call.to }"', { method: 'DELETE', url: 'https://crm.example/1000' }],
    [
      `${GET}, headers: { x-one: "1", x-two: "\${ call.from }" }`,
      { headers: { 'x-one': '1', 'x-two': '+33612345678' } },
    ],
    [`${GET}, auth: { bearer: "\${ secrets.token }" }`, { headers: { authorization: 'Bearer tip-top-secret' } }],
    [`${GET}, headers: { x-key: "\${ secrets.token }" }`, { headers: { 'x-key': 'tip-top-secret' } }],
    [`${GET}, auth: { basic: { username: me, password: pw } }`, { headers: { authorization: 'Basic bWU6cHc=' } }],
    [
      'post: "https://sms.example/", form: { To: "${ call.from }", Parts: [1, two], Urgent: true, None: null }',
      { body: { To: '+33612345678', Parts: [1, 'two'], Urgent: true, None: null }, isForm: true },
    ],
  ])('sends the request given by %s', async (args, expected) => {
    const call = await requesting(args, { spec: { secrets: { token: 'tip-top-secret' } } });
    expect(call.requests[0]!.request).toMatchObject(expected);
    expect(call.requests[0]!.request.signed).toBeUndefined();
    expect(JSON.stringify(call.writes)).not.toContain('tip-top-secret');
  });

  it.each([
    ['a URL that is none', 'get: "${ $lowercase(\'FTP://X\') }"'],
    ['a header that is no text', `${GET}, headers: { x-n: "\${ $lookup({ 'a': { 'b': 1 } }, 'a') }" }`],
    [
      'a field of a form that is a map',
      "post: \"https://a.example/\", form: { a: \"${ $lookup({ 'a': { 'b': 1 } }, 'a') }\" }",
    ],
    ['an expression that fails', `${GET}, headers: { x-n: "\${ $number('x') }" }`],
  ])('%s is an error, and nothing is sent', async (_name, args) => {
    const call = await requesting(args);
    expect(call.outcomes()).toEqual(['first:error', 'broken:done']);
    expect(call.requests).toEqual([]);
  });
});

describe('request: outcomes', () => {
  it.each<[string, HttpReply, string]>([
    ['200', ok({ a: 1 }), 'ok'],
    ['201', ok(null, 201), 'ok'],
    ['204', ok(null, 204), 'ok'],
    ['text', ok('hello'), 'ok'],
    ['301', ok(null, 301), 'failed.4xx'],
    ['400', ok({}, 400), 'failed.4xx'],
    ['401', ok({}, 401), 'failed.4xx'],
    ['404', ok({}, 404), 'not_found'],
    ['429', ok({}, 429), 'failed.4xx'],
    ['500', ok({}, 500), 'failed.5xx'],
    ['503', ok({}, 503), 'failed.5xx'],
    ['no answer in time', failed('timeout'), 'failed.timeout'],
    ['no connection', failed('network'), 'failed.network'],
    ['an address that is not allowed', failed('refused'), 'failed.network'],
    ['an answer that is too large', failed('too_large'), 'failed.invalid'],
    ['an answer that is no JSON', failed('invalid'), 'failed.invalid'],
  ])('reports the outcome for %s', async (_name, reply, outcome) => {
    const call = await requesting(GET);
    await answer(call, reply);
    expect(call.outcomes()).toEqual([`first:${outcome}`, 'bye:done']);
    const result = reply.ok ? { status: reply.status, body: reply.body } : { message: reply.message };
    expect(call.journal().find((entry) => entry.kind === 'left')).toMatchObject({ result });
  });

  it.each([
    [{ tier: 'gold' }, 'ok'],
    [{ tier: 'tin' }, 'failed.invalid'],
    [{}, 'failed.invalid'],
    ['gold', 'failed.invalid'],
    [null, 'failed.invalid'],
  ])('checks the answer %j against the schema', async (body, outcome) => {
    const schema = '{ type: object, required: [tier], properties: { tier: { enum: [gold, basic] } } }';
    const call = await requesting(`${GET}, returns: ${schema}`);
    await answer(call, ok(body));
    expect(call.outcomes()[0]).toBe(`first:${outcome}`);
  });

  it('assigns from an ok answer only', async () => {
    const head = 'vars: { tier: { type: string, default: none } }';
    const steps = `
  first:
    request: { ${GET} }
    set: { tier: "\${ result.body.tier }" }
    exits: { ok: tell, not_found: tell, failed: tell }
  tell: { log: "\${ vars.tier }", next: bye }`;
    for (const [reply, tier] of [
      [ok({ tier: 'gold' }), 'gold'],
      [ok({ tier: 'gold' }, 404), 'none'],
      [ok({ tier: 'gold' }, 500), 'none'],
      [failed('timeout'), 'none'],
    ] as const) {
      const call = await startSteps(steps, { head });
      await answer(call, reply);
      expect(call.journal().find(({ kind }) => kind === 'log')).toMatchObject({ message: tier });
    }
  });
});

describe('request: trying again', () => {
  it('pauses twice as long before each attempt, to the millisecond', async () => {
    const call = await requesting(`${GET}, retry: { times: 3, backoff: 200ms }`);
    for (const [attempt, pauseMs] of [200, 400, 800].entries()) {
      await answer(call, failed('timeout'));
      await call.clock.advance(pauseMs - 1);
      expect(call.requests).toHaveLength(attempt + 1);
      await call.clock.advance(1);
      expect(call.requests).toHaveLength(attempt + 2);
    }
    await answer(call, failed('timeout'));
    expect(call.outcomes()).toEqual(['first:failed.timeout', 'bye:done']);
  });

  it('pauses half a second by default', async () => {
    const call = await requesting(`${GET}, retry: { times: 1 }`);
    await answer(call, ok({}, 500));
    await call.clock.advance(499);
    expect(call.requests).toHaveLength(1);
    await call.clock.advance(1);
    await answer(call, ok({ a: 1 }));
    expect(call.outcomes()).toEqual(['first:ok', 'bye:done']);
  });

  it.each<[string, string, HttpReply, boolean]>([
    ['all when nothing is listed', '', failed('timeout'), true],
    ['all when nothing is listed', '', failed('network'), true],
    ['all when nothing is listed', '', ok({}, 502), true],
    ['never what was refused', '', ok({}, 403), false],
    ['never what was not found', '', ok({}, 404), false],
    ['never what was no good', '', failed('invalid'), false],
    ['what is listed', ', when: [timeout]', failed('timeout'), true],
    ['not what is not', ', when: [timeout]', failed('network'), false],
    ['not what is not', ', when: [timeout]', ok({}, 500), false],
    ['what is listed', ', when: [5xx]', ok({}, 500), true],
    ['not what is not', ', when: [5xx]', failed('timeout'), false],
    ['what is listed', ', when: [network]', failed('refused'), true],
  ])('retries only when listed: %s%s', async (_name, when, reply, again) => {
    const call = await requesting(`${GET}, retry: { times: 1${when} }`);
    await answer(call, reply);
    await call.clock.advance(500);
    expect(call.requests).toHaveLength(again ? 2 : 1);
  });

  it('is not shortened by digits, and continues when the caller hangs up', async () => {
    const call = await requesting(`${GET}, retry: { times: 1, backoff: 1s }`);
    await answer(call, failed('timeout'));
    await call.clock.advance(600);
    await call.press('1');
    await call.clock.advance(399);
    expect(call.requests).toHaveLength(1);
    await call.hangUp();
    await call.clock.advance(1);
    expect(call.requests).toHaveLength(2);
    await answer(call, ok());
    await call.run.done;
    expect(call.outcomes()).toEqual(['first:ok', 'bye:done']);
    expect(call.clock.pendingTimers).toBe(0);
  });
});

describe('request: meanwhile', () => {
  const music = `
  first: { answer: {}, next: look }
  look: { request: { ${GET}, meanwhile: { text: Hold }, retry: { times: 1 } }, ${EXITS} }`;

  it('repeats during all attempts, and stops at the end', async () => {
    const call = await startSteps(music);
    const play = call.lastPlay();
    expect(play).toMatchObject({ repeat: true });
    await answer(call, failed('timeout'));
    await call.clock.advance(500);
    await answer(call, ok());
    expect(call.commands.map(({ type }) => type)).toEqual(['answer', 'play', 'stop_play', 'hangup']);
    expect(call.commands).toContainEqual({ type: 'stop_play', playId: play.playId });
  });

  it('is not played before the call is answered', async () => {
    const call = await requesting(`${GET}, meanwhile: { text: Hold }`);
    expect(heard(call)).toEqual([]);
    expect(call.requests).toHaveLength(1);
  });

  it('is an error when the prompt is missing, and nothing is sent', async () => {
    const call = await startSteps(music.replace('{ text: Hold }', '{ audio: "${ \'nothing.wav\' }" }'));
    expect(call.outcomes()).toEqual(['first:connected', 'look:error', 'broken:done']);
    expect(call.requests).toEqual([]);
  });
});

describe('request: a late answer', () => {
  it('is dropped after an interrupt, which cancels the request', async () => {
    const call = await requesting(GET, { head: 'events: { "dtmf.0": away }' }, ' }\n  away: { pause: 1h, next: bye');
    await call.press('0');
    expect(call.requests[0]!.signal.aborted).toBe(true);
    const entries = call.journal().length;
    await answer(call, ok());
    expect(call.journal()).toHaveLength(entries);
    expect(call.outcomes()).toEqual(['first:$dtmf.0']);
  });

  it('is dropped after the call is over', async () => {
    const call = await requesting(GET);
    call.run.post({ type: 'lost' });
    await call.hangUp();
    await call.run.done;
    const entries = call.journal().length;
    await answer(call, ok());
    expect(call.journal()).toHaveLength(entries);
    expect(call.requests[0]!.signal.aborted).toBe(true);
  });

  it('does not end the call when the HTTP client throws', async () => {
    const call = await requesting(GET, { ports: { http: () => Promise.reject(new Error('no such door')) } });
    expect(call.outcomes()).toEqual(['first:failed.network', 'bye:done']);
  });
});

describe('request: a caller who hangs up meanwhile', () => {
  it('is noticed by the next step that needs the call', async () => {
    const call = await startSteps(`
  first: { answer: {}, next: look }
  look: { request: { ${GET} }, exits: { ok: say, not_found: say, failed: say } }
  say: { play: "There it is", exits: { done: bye, hangup: tell } }
  tell: { notify: gone, next: bye }`);
    await call.hangUp();
    expect(call.outcomes()).toEqual(['first:connected']);
    await answer(call, ok());
    await call.run.done;
    expect(call.outcomes()).toEqual(['first:connected', 'look:ok', 'say:hangup', 'tell:done', 'bye:done']);
    expect(call.commands.map(({ type }) => type)).toEqual(['answer']);
  });
});

describe('request: a 404', () => {
  const asking = async (exits: string, head = '') => {
    const steps = `  first: { request: { ${GET} }, exits: { ok: bye, ${exits} } }\n  other: { log: other, next: bye }`;
    const call = await startSteps(steps, { head });
    await answer(call, ok(null, 404));
    return call.path();
  };

  it.each([
    ['where its route leads', 'not_found: other, failed: bye', '', 'other'],
    ['where a 400 goes, if nothing routes it', 'failed: bye, failed.4xx: other', '', 'other'],
    ['where failures go, if nothing else is written', 'failed: other', '', 'other'],
    [
      'where the defaults say, before where failures go',
      'failed: bye',
      'defaults: { exits: { error: broken, not_found: other } }',
      'other',
    ],
  ])('continues at the step %s', async (_name, exits, head, step) => expect(await asking(exits, head)).toContain(step));
});
