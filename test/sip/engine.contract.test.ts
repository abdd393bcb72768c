/** Engine contract over the complete signalling, in virtual time: the remote side is a second engine. */
import { expect } from 'vitest';
import { countingIds, seededRandom } from '../../src/base/core/ids.ts';
import type { LegEvent } from '../../src/base/core/leg.ts';
import type { SipHeaders } from '../../src/base/core/sip-headers.ts';
import type { CalleePlan, ReferPlan } from '../../src/media/telephony/simulated/far-end.ts';
import { createSipEngine } from '../../src/media/telephony/sip/engine.ts';
import { VirtualClock } from '../../src/proof/testkit/virtual-clock.ts';
import { type ContractParty, runEngineContract } from '../contracts/engine/engine-contract.ts';
import { seenByLeg } from '../contracts/engine/headers.ts';
import { MemoryNetwork } from './memory-network.ts';
import { type Air, MISSING, VirtualMedia } from './virtual-media.ts';

const STATUS: Partial<Record<CalleePlan['does'], number>> = { busy: 486, declined: 603, unreachable: 404 };

runEngineContract(async () => {
  const clock = new VirtualClock();
  const net = new MemoryNetwork();
  const air: Air = new Map();
  const errors: string[] = [];
  const engineAt = (host: string, allowed: string) =>
    createSipEngine(
      { host, allowSipUris: [allowed, '192.0.2.9'] },
      {
        media: new VirtualMedia(clock, air, host),
        clock,
        ids: countingIds(),
        random: seededRandom(host.length + host.charCodeAt(8)),
        log: (level, message, fields) => {
          if (level === 'error') errors.push(`${message} ${JSON.stringify(fields)}`);
        },
        transports: [net.transport('udp', host, 5060)],
      },
    );
  const engine = engineAt('192.0.2.1', '192.0.2.2');
  const network = engineAt('192.0.2.2', '192.0.2.1');

  const heard = new Map<string, string>();
  const invites = new Map<string, SipHeaders | undefined>();
  const events = new Map<string, LegEvent[]>();
  const plans = new Map<string, CalleePlan>();
  const legOf = new Map<string, string>();
  /** Events that parties got for calls that they requested, and their actions on request. */
  const told = new Map<string, number[]>();
  const onRefer = new Map<string, ReferPlan>();
  let calls = 0;
  const party = (legId: () => string): ContractParty => ({
    press: (digits) =>
      network.send(legId(), { type: 'send_digits', sendId: `${++calls}`, digits, toneMs: 80, gapMs: 80 }),
    speak: (durationMs) =>
      network.send(legId(), {
        type: 'play',
        playId: `${++calls}`,
        audio: [{ type: 'tone', frequencyHz: 440, durationMs }],
      }),
    hangUp: (headers) => network.send(legId(), { type: 'hangup', cause: 16, ...(headers && { headers }) }),
    get headers() {
      return seenByLeg(invites.get(legId()), events.get(legId()) ?? []);
    },
    hold: (held) => network.send(legId(), held ? { type: 'hold', music: [] } : { type: 'resume' }),
    refer: (to) => network.send(legId(), { type: 'refer', referId: `${++calls}`, to }),
    onRefer: (plan) => onRefer.set(legId(), plan),
    get referStatus() {
      return told.get(legId()) ?? [];
    },
    get received() {
      return heard.get(legId()) ?? '';
    },
  });
  const follow = (legId: string, plan: CalleePlan) => {
    const { does, headers } = plan;
    const said = headers && { headers };
    if (does === 'answer' || does === 'no_answer') {
      clock.after(plan.ringsAfterMs ?? 0, () => network.send(legId, { type: 'ring' }));
      if (does === 'answer') clock.after(plan.afterMs ?? 0, () => network.send(legId, { type: 'answer', ...said }));
      return;
    }
    const sipStatus = does === 'fail' ? plan.sipStatus : STATUS[does]!;
    clock.after(plan.afterMs ?? 0, () => network.send(legId, { type: 'reject', sipStatus, ...said }));
  };
  const answerReferral = (legId: string, referId: string) => {
    const plan = onRefer.get(legId) ?? { does: 'accept' };
    if (plan.does === 'ignore') return;
    const sipStatus = plan.does === 'refuse' ? plan.sipStatus : 200;
    clock.after(plan.afterMs ?? 0, () =>
      network.send(
        legId,
        plan.does === 'hang_up' ? { type: 'hangup', cause: 16 } : { type: 'refer_progress', referId, sipStatus },
      ),
    );
  };
  await network.start({
    incoming({ legId, to, headers }) {
      invites.set(legId, headers);
      legOf.set(to, legId);
      follow(legId, plans.get(to)!);
    },
    event(legId: string, event: LegEvent) {
      events.set(legId, [...(events.get(legId) ?? []), event]);
      if (event.type === 'digit') heard.set(legId, (heard.get(legId) ?? '') + event.digit);
      if (event.type === 'refer_ended') told.set(legId, [...(told.get(legId) ?? []), event.sipStatus]);
      if (event.type === 'referred') answerReferral(legId, event.referId);
      if (event.type !== 'answered') return;
      const plan = [...legOf].filter(([, one]) => one === legId).map(([to]) => plans.get(to))[0];
      if (plan?.does === 'answer' && plan.talkMs !== undefined) {
        clock.after(plan.talkMs, () => network.send(legId, { type: 'hangup', cause: 16 }));
      }
    },
  });
  return {
    engine,
    elapse: (ms) => clock.advance(ms),
    async callIn(headers) {
      const legId = `call-${++calls}`;
      network.dial({
        legId,
        from: '+33612345678',
        to: 'sip:100@192.0.2.1',
        ringTimeoutMs: 600_000,
        ...(headers && { headers }),
      });
      return party(() => legId);
    },
    async callee(plan) {
      const to = `callee-${plans.size}`;
      plans.set(to, plan);
      return { to: `sip:${to}@192.0.2.2`, party: () => party(() => legOf.get(to)!) };
    },
    can: ['far_hold', 'far_refer', 'on_refer', 'headers'],
    missingFile: MISSING,
    toleranceMs: 0,
    async close() {
      await network.stop();
      expect(errors).toEqual([]);
      // Pending actions of the callees.
      await clock.advance(2000);
      expect(clock.pendingTimers).toBe(0);
    },
  };
});
