import { describe, expect, it } from 'vitest';
import type { HttpReply } from '../../src/base/core/http-exchange.ts';
import type { TestCall } from '../runtime/test-call.ts';
import { flowText, heard, startSteps } from './scripted-call.ts';

const head = 'vars: { tier: { type: string, default: none }, n: { type: integer } }';
const spec = { eventUrl: 'https://app.example/events' };

const asking = (args: string, exits = '', options: Parameters<typeof startSteps>[1] = {}) =>
  startSteps(
    `
  first:
    webhook: { outcomes: [sales, support], ${args} }
    exits: { sales: tell, support: tell, timeout: bye${exits} }
  tell: { log: "\${ vars.tier } \${ steps.first.outcome }", next: bye }
  other: { log: other, next: bye }`,
    { head, spec, ...options },
  );

async function answer(call: TestCall, body: unknown, status = 200): Promise<void> {
  call.requests.at(-1)!.answer({ ok: true, status, headers: {}, body } as Extract<HttpReply, { ok: true }>);
  await call.clock.settle();
}

const left = (call: TestCall) => call.journal().find((entry) => entry.kind === 'left');
const logged = (call: TestCall) => call.journal().flatMap((entry) => (entry.kind === 'log' ? [entry.message] : []));

describe('webhook: the request', () => {
  it('is signed, describes the call, and goes to the event URL', async () => {
    const call = await asking('body: { n: "${ 1 + 1 }" }');
    expect(call.requests[0]!.request).toEqual({
      name: 'first',
      method: 'POST',
      url: 'https://app.example/events',
      headers: {},
      signed: true,
      timeoutMs: 5_000,
      body: {
        voice_id: 'call-1',
        from: '+33612345678',
        to: '1000',
        step: 'first',
        outcomes: ['sales', 'support'],
        body: { n: 2 },
        timestamp: '2026-03-02T08:30:00.000Z',
      },
    });
  });

  it('goes to the URL of the step, with its headers and credentials', async () => {
    const call = await asking(
      'url: "https://other.example/ask", timeout: 2s, headers: { x-one: "1" }, auth: { bearer: "${ secrets.token }" }',
      '',
      { spec: { ...spec, secrets: { token: 'tip-top-secret' } } },
    );
    expect(call.requests[0]!.request).toMatchObject({
      url: 'https://other.example/ask',
      timeoutMs: 2_000,
      headers: { 'x-one': '1', authorization: 'Bearer tip-top-secret' },
    });
    expect(JSON.stringify(call.writes)).not.toContain('tip-top-secret');
  });

  it('is an error without a URL', async () => {
    const call = await asking('body: 1', '', { spec: {} });
    expect(left(call)).toMatchObject({ outcome: 'error', fault: { code: 'no_url' } });
    expect(call.requests).toEqual([]);
  });
});

describe('webhook: the answer', () => {
  it('routes a declared outcome, and assigns', async () => {
    const call = await asking('timeout: 1s');
    await answer(call, { outcome: 'sales', set: { tier: 'gold' } });
    expect(left(call)).toMatchObject({ outcome: 'sales', result: { outcome: 'sales' } });
    expect(logged(call)).toEqual(['gold sales']);
  });

  it.each<[string, unknown, number, string]>([
    ['an outcome that is not declared', { outcome: 'pizza' }, 200, 'webhook_answer'],
    ['a reserved outcome', { outcome: 'hangup' }, 200, 'webhook_answer'],
    ['no outcome', {}, 200, 'webhook_answer'],
    ['an outcome of another type', { outcome: ['sales'] }, 200, 'webhook_answer'],
    ['a list', ['sales'], 200, 'webhook_answer'],
    ['a text', 'sales', 200, 'webhook_answer'],
    ['nothing', null, 204, 'webhook_answer'],
    ['a redirect', { outcome: 'sales' }, 302, 'webhook_failed'],
    ['a refusal', { outcome: 'sales' }, 403, 'webhook_failed'],
    ['not found', { outcome: 'sales' }, 404, 'webhook_failed'],
    ['a failure', { outcome: 'sales' }, 500, 'webhook_failed'],
    ['a variable that is not declared', { outcome: 'sales', set: { nope: 1 } }, 200, 'invalid_variable'],
    ['a value of the wrong type', { outcome: 'sales', set: { n: 'x' } }, 200, 'invalid_variable'],
    ['a goto that is not allowed', { goto: 'other' }, 200, 'webhook_answer'],
    ['a flow that is not allowed', { flow: 'inner' }, 200, 'webhook_answer'],
  ])('%s is an error', async (_name, body, status, code) => {
    const call = await asking('timeout: 1s');
    await answer(call, body, status);
    expect(left(call)).toMatchObject({ outcome: 'error', fault: { code } });
    expect(call.outcomes().at(-1)).toBe('broken:done');
  });

  it.each([
    ['timeout', 'first:timeout'],
    ['network', 'first:error'],
    ['refused', 'first:error'],
    ['too_large', 'first:error'],
    ['invalid', 'first:error'],
  ] as const)('has no answer for the reason %s', async (reason, outcome) => {
    const call = await asking('timeout: 1s');
    call.requests[0]!.answer({ ok: false, reason, message: 'no' });
    await call.clock.settle();
    expect(call.outcomes()[0]).toBe(outcome);
  });
});

describe('webhook: an answer that leads', () => {
  it('jumps to another step', async () => {
    const call = await asking('may: [goto]');
    await answer(call, { goto: 'other', set: { tier: 'gold' } });
    expect(call.path()).toEqual(['first', 'other', 'bye']);
  });

  it('jumps to the end of the flow', async () => {
    const call = await asking('may: [goto]');
    await answer(call, { goto: '$end' });
    expect(call.outcomes()).toEqual(['first:goto']);
    expect(call.commands.at(-1)).toEqual({ type: 'hangup', cause: 16 });
  });

  it('reports a missing step as an error', async () => {
    const call = await asking('may: [goto]');
    await answer(call, { goto: 'nowhere' });
    expect(left(call)).toMatchObject({ outcome: 'error', fault: { code: 'unknown_step' } });
    expect(call.outcomes().at(-1)).toBe('broken:done');
  });

  const flows = {
    inner: flowText(
      '  first: { play: "${ input.text }", next: out }\n  out: { return: ok }',
      'input: { text: { type: string } }',
    ),
  };

  it('has the outcome done for a flow', async () => {
    const call = await asking('may: [flow], meanwhile: { text: Hold }', ', done: bye', { flows });
    await answer(call, { flow: 'inner', input: { text: 'Hello there' } });
    expect(heard(call)).toEqual([]);
    expect(call.commands.map(({ type }) => type)).toEqual(['answer']);
    await call.tell({ type: 'answered' });
    expect(heard(call)).toEqual(['Hello there']);
    await call.finishPlay();
    expect(call.outcomes()).toEqual(['first:done', 'out:ok', 'first:done', 'bye:done']);
  });

  it('reports a missing flow as an error', async () => {
    const call = await asking('may: [flow]', ', done: bye', { flows });
    await answer(call, { flow: 'nobody' });
    expect(left(call)).toMatchObject({ outcome: 'error', fault: { code: 'unknown_flow' } });
  });

  it('stops the prompt of meanwhile before a flow', async () => {
    const call = await startSteps(
      `
  first: { answer: {}, next: ask }
  ask:
    webhook: { outcomes: [sales], may: [flow], meanwhile: { text: Hold } }
    exits: { sales: bye, timeout: bye, done: bye }`,
      { spec, flows: { inner: flowText('  first: { pause: 1h, next: bye }') } },
    );
    const { playId } = call.lastPlay();
    await answer(call, { flow: 'inner' });
    expect(call.path()).toEqual(['first', 'ask', 'first']);
    expect(call.commands.at(-1)).toEqual({ type: 'stop_play', playId });
  });
});
