/** Two engines on a network that loses and doubles packets: whatever happens, both ends agree in the end. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { countingIds, seededRandom } from '../../src/base/core/ids.ts';
import type { LegCommand, LegEvent } from '../../src/base/core/leg.ts';
import { createSipEngine } from '../../src/media/telephony/sip/engine.ts';
import type { SipEngine } from '../../src/media/telephony/sip/engine-options.ts';
import { VirtualClock } from '../../src/proof/testkit/virtual-clock.ts';
import { rounds } from '../rounds.ts';
import { FakeMedia } from './fake-media.ts';
import { MemoryNetwork } from './memory-network.ts';

interface Act {
  afterMs: number;
  side: 'caller' | 'callee';
  command: LegCommand;
}

async function play(acts: readonly Act[], lossPercent: number, seed: number) {
  const clock = new VirtualClock();
  const net = new MemoryNetwork();
  const random = seededRandom(seed);
  net.loses = () => random() * 100 < lossPercent;
  net.doubles = () => random() < 0.1;
  const errors: string[] = [];
  const told = { caller: [] as LegEvent[], callee: [] as LegEvent[] };
  const make = (host: string, allowed: string): SipEngine =>
    createSipEngine(
      { host, allowSipUris: [allowed], sessionTimer: { expiresS: 90, minS: 90 } },
      {
        media: new FakeMedia(),
        clock,
        ids: countingIds(),
        random: seededRandom(seed + host.length + host.charCodeAt(8)),
        log: (level, message, fields) => {
          if (level === 'error') errors.push(`${message} ${JSON.stringify(fields)}`);
        },
        transports: [net.transport('udp', host, 5060)],
      },
    );
  const caller = make('192.0.2.1', '192.0.2.2');
  const callee = make('192.0.2.2', '192.0.2.1');
  const legs: string[] = [];
  await caller.start({ incoming() {}, event: (_legId, event) => told.caller.push(event) });
  await callee.start({ incoming: ({ legId }) => legs.push(legId), event: (_legId, event) => told.callee.push(event) });
  caller.dial({ legId: 'out', from: '1', to: 'sip:2@192.0.2.2', ringTimeoutMs: 20_000 });
  for (const { afterMs, side, command } of acts) {
    await clock.advance(afterMs);
    if (side === 'caller') caller.send('out', command);
    else for (const legId of legs) callee.send(legId, command);
  }
  await clock.advance(200_000);
  const hangup: LegCommand = { type: 'hangup', cause: 16 };
  caller.send('out', hangup);
  for (const legId of legs) callee.send(legId, hangup);
  await clock.advance(200_000);
  const left = [caller.counts(), callee.counts()];
  const timers = clock.pendingTimers;
  await caller.stop();
  await callee.stop();
  return { told, legs, errors, left, timers };
}

const act: fc.Arbitrary<Act> = fc.record({
  afterMs: fc.oneof(fc.constant(0), fc.nat({ max: 3000 }), fc.nat({ max: 60_000 })),
  side: fc.constantFrom('caller', 'callee'),
  command: fc.constantFrom<LegCommand>(
    { type: 'ring' },
    { type: 'progress' },
    { type: 'answer' },
    { type: 'answer' },
    { type: 'answer' },
    { type: 'hangup', cause: 16 },
    { type: 'reject', sipStatus: 486 },
    { type: 'send_digits', sendId: 's', digits: '12', toneMs: 100, gapMs: 50 },
  ),
});

it('ends every call once on both sides, and leaves nothing behind', { timeout: 60_000 }, async () => {
  let answeredCalls = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(act, { maxLength: 6 }),
      fc.constantFrom(0, 10, 30, 60),
      fc.nat(),
      async (acts, lossPercent, seed) => {
        const { told, legs, errors, left, timers } = await play(acts, lossPercent, seed);
        expect(errors).toEqual([]);
        expect(legs.length).toBeLessThanOrEqual(1);
        for (const events of [told.caller, ...(legs.length > 0 ? [told.callee] : [])]) {
          const types = events.map(({ type }) => type);
          expect(types.filter((type) => type === 'ended')).toEqual(['ended']);
          expect(types.at(-1)).toBe('ended');
          expect(types.filter((type) => type === 'answered').length).toBeLessThanOrEqual(1);
        }
        if (told.caller.some(({ type }) => type === 'answered')) answeredCalls++;
        for (const counts of left) expect(counts).toMatchObject({ legs: 0, sessions: 0, transactions: 0, crashed: 0 });
        expect(timers).toBe(0);
      },
    ),
    { numRuns: rounds(80), seed: 20_260_302 },
  );
  // The test is meaningful only if some calls are answered.
  expect(answeredCalls).toBeGreaterThan(10);
});
