/** SIP headers that are read and set, and values that must never pass. */
import { expect } from 'vitest';
import type { LegEvent } from '../../../src/base/core/leg.ts';
import type { SipHeaders } from '../../../src/base/core/sip-headers.ts';
import type { SeenHeaders } from '../../../src/media/telephony/simulated/far-end.ts';
import { type ContractLeg, type ContractTopic, contractCase } from './engine-case.ts';

/** Headers received by a party that is a leg of another engine; `invite`: headers of its INVITE. */
export function seenByLeg(invite: SipHeaders | undefined, events: readonly LegEvent[]): SeenHeaders[] {
  const seen: SeenHeaders[] = invite ? [{ in: 'invite', headers: invite }] : [];
  for (const event of events) {
    if (event.type === 'answered' && event.headers) seen.push({ in: 'answer', headers: event.headers });
    if (event.type === 'referred' && event.headers) seen.push({ in: 'refer', headers: event.headers });
    if (event.type === 'ended' && event.headers) seen.push({ in: 'hangup', headers: event.headers });
  }
  return seen;
}

/** Waits until the party has received `count` messages with headers. */
async function untilSeen(leg: ContractLeg, count: number, elapse: (ms: number) => Promise<void>) {
  for (let rounds = 0; leg.party.headers.length < count && rounds < 100; rounds++) await elapse(20);
  return leg.party.headers;
}

/** Each would be a second header, another message, or one of the stack's own. */
const INJECTIONS: SipHeaders = {
  'X-Line': '1\r\nX-Injected: line',
  'X-Bare-Line': '1\nX-Injected: bare',
  'X-Return': '1\rX-Injected: return',
  'X-Nul': 'a\0b',
  'X-Body': '1\r\n\r\nINVITE sip:x@y SIP/2.0',
  'X-Name: 1\r\nX-Injected': 'name',
  'X Space': 'name',
  'X-Ümlaut': 'name',
  Contact: '<sip:thief@192.0.2.66>',
  'call-id': 'stolen',
  'Content-Length': '0',
  v: 'SIP/2.0/UDP 192.0.2.66',
  // Cut down to one byte each, U+010D and U+010A would be a line break.
  'X-Wide': 'a\u010d\u010aX-Injected: wide',
};
const WHAT_IS_LEFT = { 'x-wide': 'a\u010d\u010aX-Injected: wide' };

export const headers: ContractTopic = {
  topic: 'headers',
  cases: [
    contractCase('of a call that comes in, by lower-case name', ['headers'], async (driver) => {
      await driver.offeredLeg({
        'X-Customer': '17',
        Subject: 'Crème brûlée',
        'User-to-User': '68656c6c6f;encoding=hex',
      });
      expect(driver.host.arrivals[0]?.headers).toEqual({
        'x-customer': '17',
        subject: 'Crème brûlée',
        'user-to-user': '68656c6c6f;encoding=hex',
      });
    }),
    contractCase('of a call that we place, and of its answer', ['headers', 'dial_answer'], async (driver) => {
      const plan = { does: 'answer', headers: { 'X-Agent': 'Ann' } } as const;
      const leg = await driver.dial(plan, { headers: { 'X-Customer': '17', Diversion: '<sip:+33199@example.com>' } });
      expect((await leg.waitFor('answered')).headers).toEqual({ 'x-agent': 'Ann' });
      expect(leg.party.headers).toEqual([
        { in: 'invite', headers: { 'x-customer': '17', diversion: '<sip:+33199@example.com>' } },
      ]);
    }),
    contractCase('of the refusal of a call that we place', ['headers', 'dial_busy'], async (driver) => {
      const leg = await driver.dial({ does: 'busy', headers: { 'X-Why': 'lunch' } });
      expect((await leg.waitFor('ended')).headers).toEqual({ 'x-why': 'lunch' });
    }),
    contractCase('of our answer, of a REFER and of our BYE', ['headers', 'refer', 'on_refer'], async (driver) => {
      const leg = await driver.offeredLeg();
      leg.send({ type: 'answer', headers: { 'X-In': 'answer' } });
      await leg.waitFor('answered');
      leg.party.onRefer({ does: 'accept' });
      leg.send({ type: 'refer', referId: 'r', to: 'sip:other@192.0.2.9', headers: { 'X-In': 'refer' } });
      await leg.waitFor('refer_ended');
      leg.send({ type: 'hangup', cause: 16, headers: { 'X-In': 'bye' } });
      await leg.waitFor('ended');
      expect(await untilSeen(leg, 3, driver.harness.elapse)).toEqual([
        { in: 'answer', headers: { 'x-in': 'answer' } },
        { in: 'refer', headers: { 'x-in': 'refer' } },
        { in: 'hangup', headers: { 'x-in': 'bye' } },
      ]);
    }),
    contractCase('of our refusal', ['headers'], async (driver) => {
      const leg = await driver.offeredLeg();
      leg.send({ type: 'reject', sipStatus: 486, headers: { 'X-In': 'refusal' } });
      await leg.waitFor('ended');
      expect(await untilSeen(leg, 1, driver.harness.elapse)).toEqual([
        { in: 'hangup', headers: { 'x-in': 'refusal' } },
      ]);
    }),
    contractCase('of our CANCEL', ['headers', 'dial_no_answer'], async (driver) => {
      const leg = await driver.dial({ does: 'no_answer' });
      await leg.waitFor('ringing');
      leg.send({ type: 'hangup', cause: 16, headers: { 'X-In': 'cancel' } });
      await leg.waitFor('ended');
      expect(await untilSeen(leg, 1, driver.harness.elapse)).toEqual([{ in: 'hangup', headers: { 'x-in': 'cancel' } }]);
    }),
    contractCase('of the BYE of the far end', ['headers'], async (driver) => {
      const leg = await driver.connectedLeg();
      leg.party.hangUp({ 'X-Mood': 'good' });
      expect((await leg.waitFor('ended')).headers).toEqual({ 'x-mood': 'good' });
    }),
    contractCase('that would be others are never sent', ['headers', 'dial_answer'], async (driver) => {
      const leg = await driver.dial({ does: 'answer' }, { headers: INJECTIONS });
      await leg.waitFor('answered');
      leg.send({ type: 'hangup', cause: 16, headers: INJECTIONS });
      await leg.waitFor('ended');
      expect(await untilSeen(leg, 2, driver.harness.elapse)).toEqual([
        { in: 'invite', headers: WHAT_IS_LEFT },
        { in: 'hangup', headers: WHAT_IS_LEFT },
      ]);
    }),
  ],
};
