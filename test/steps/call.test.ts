/** Verbs `call` and `cancel_call`: what they order from the service, and their outcomes. */
import { describe, expect, it } from 'vitest';
import type { HttpReply } from '../../src/base/core/http-exchange.ts';
import { startTime } from '../../src/verbs/call/start-time.ts';
import { startSteps } from './scripted-call.ts';

const NOW = Date.parse('2026-03-02T08:30:00Z');

const placing = (args: string, head = 'defaults: { timezone: Europe/Paris, exits: { error: broken } }') =>
  startSteps(
    `
  first:
    call: { flow: later, ${args} }
    exits: { placed: next, refused: next }
  next: { pause: 1h, next: bye }`,
    { head },
  );

const replied = (status: number, body = {}): HttpReply => ({ ok: true, status, headers: {}, body });

describe('call: the order', () => {
  it('has the defaults of the verb, and is journalled without a start of its own', async () => {
    const call = await placing('to: "+33600000000"');
    const { request } = call.requests[0]!;
    expect(request.call).toEqual({
      id: 'call-1-1',
      place: {
        ...{ to: ['+33600000000'], from: '1000', flow: 'later', input: {}, startsMs: call.clock.now() },
        ...{ until: 'answered', attempts: 1, pauseMs: 300_000, ringTimeoutMs: 30_000 },
      },
    });
    expect(call.journal().find(({ kind }) => kind === 'request')).toMatchObject({
      url: 'call:place',
      body: { to: ['+33600000000'], flow: 'later' },
    });
  });

  it('keeps the list of numbers, the key and the input', async () => {
    const call = await placing('to: ["user:anna", "user:bob"], key: k, input: { a: 1 }, until: accepted, in: 10m');
    expect(call.requests[0]!.request.call).toMatchObject({
      place: { to: ['user:anna', 'user:bob'], key: 'k', input: { a: 1 }, until: 'accepted' },
    });
    const { place } = call.requests[0]!.request.call as { place: { startsMs: number } };
    expect(place.startsMs).toBe(call.clock.now() + 600_000);
  });

  it.each([
    ['placed', replied(201), { outcome: 'placed', result: { id: 'call-1-1' } }],
    ['refused', replied(409, { reason: 'do_not_call' }), { outcome: 'refused', result: { reason: 'do_not_call' } }],
    ['error', { ok: false, reason: 'refused', message: 'no flow' } as HttpReply, { outcome: 'error' }],
  ])('continues with the outcome %s', async (_outcome, answer, left) => {
    const call = await placing('to: "+33600000000"');
    call.requests[0]!.answer(answer);
    await call.clock.settle();
    expect(call.journal().find(({ kind }) => kind === 'left')).toMatchObject(left);
  });

  it('fails for hours that do not exist', async () => {
    const call = await placing('to: "+33600000000", hours: nowhere');
    expect(call.journal().find(({ kind }) => kind === 'left')).toMatchObject({ outcome: 'error' });
    expect(call.requests).toEqual([]);
  });
});

describe('cancel_call', () => {
  it.each([
    ['cancelled', replied(200)],
    ['not_found', replied(404)],
    ['error', replied(500)],
  ])('continues with the outcome %s', async (outcome, answer) => {
    const call = await startSteps(`
  first: { cancel_call: room 12, exits: { cancelled: next, not_found: next } }
  next: { pause: 1h, next: bye }`);
    expect(call.requests[0]!.request.call).toEqual({ id: 'call-1-1', cancel: 'room 12' });
    call.requests[0]!.answer(answer);
    await call.clock.settle();
    expect(call.journal().find(({ kind }) => kind === 'left')).toMatchObject({ outcome });
  });
});

describe('startTime', () => {
  it.each([
    ['10:00', 'Europe/Paris', '2026-03-02T09:00:00Z'],
    ['09:30', 'Europe/Paris', '2026-03-03T08:30:00Z'],
    ['09:00', 'Europe/Paris', '2026-03-03T08:00:00Z'],
    ['09:00', 'America/New_York', '2026-03-02T14:00:00Z'],
    ['2026-07-01T07:30', 'Europe/Paris', '2026-07-01T05:30:00Z'],
    ['2026-07-01T07:30', 'UTC', '2026-07-01T07:30:00Z'],
    ['2026-07-01T07:30+05:30', 'Europe/Paris', '2026-07-01T02:00:00Z'],
    ['2026-07-01T07:30:15Z', 'Europe/Paris', '2026-07-01T07:30:15Z'],
    // The clocks go forward at two o'clock, and back at three.
    ['2026-03-29T02:30', 'Europe/Paris', '2026-03-29T01:30:00Z'],
    ['2026-10-25T02:30', 'Europe/Paris', '2026-10-25T01:30:00Z'],
  ])('reads %s in %s', (at, zone, utc) => {
    expect(startTime(at, zone, NOW)).toBe(Date.parse(utc));
  });

  it.each([
    ['2026-02-30T07:30', 'Europe/Nowhere'],
    ['2026-13-01T07:30', 'UTC'],
  ])('rejects %s in %s', (at, zone) => {
    expect(startTime(at, zone, NOW)).toBeUndefined();
  });
});
