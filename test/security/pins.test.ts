/** Guessing PINs of a shared number: many addresses do not help, and callers with a valid PIN still get through. */
import { describe, expect, it } from 'vitest';
import type { FarEnd } from '../../src/media/telephony/simulated/far-end.ts';
import type { ApiRig } from '../api/rig.ts';
import { openRig } from '../api/rigs.ts';

const NUMBERS = `
numbers:
  - { number: "100", pin: "471199", webhook: HOOK }
  - { number: "100", pin: "081500", webhook: HOOK }
  - { number: "200", pin: "471199", webhook: HOOK }
  - { number: "200", pin: "081500", webhook: HOOK }
`;
const HONEST = 'udp:192.0.2.7:5060';

const open = (): Promise<ApiRig> => openRig({ config: NUMBERS });
const address = (index: number): string => `udp:198.51.${100 + (index >> 8)}.${index & 255}:5060`;

/** A call with wrong PINs, from a new address and a new caller. */
async function guess(rig: ApiRig, index: number, pins: string, to = '100') {
  const farEnd = rig.call(to, `555${1000 + index}`, address(index));
  await rig.pass(300);
  farEnd.press(pins, { toneMs: 40, gapMs: 40 });
  return farEnd;
}

const THREE = '111111#222222#333333#';
const heard = (farEnd: { heard: readonly { item: object }[] }, words: RegExp): number =>
  farEnd.heard.filter(({ item }) => 'text' in item && words.test(String(item.text))).length;

/** Fifty wrong PINs, from seventeen addresses. */
async function attack(rig: ApiRig, to = '100'): Promise<void> {
  for (let index = 0; index < 17; index++) await guess(rig, index, THREE, to);
  await rig.pass(2500);
}

describe('a shared number under guesses from many addresses', () => {
  it('checks fifty wrong PINs, and then three a minute, over all addresses', async () => {
    const rig = await open();
    const callers: FarEnd[] = [];
    for (let index = 0; index < 60; index++) callers.push(await guess(rig, index, THREE));
    await rig.pass(2000);
    const wrong = () => callers.reduce((sum, one) => sum + heard(one, /^There is no party/), 0);
    // The third wrong pin of a call is not followed by a question.
    const looked = () =>
      wrong() + callers.filter((one) => heard(one, /^Goodbye/) > 0 && heard(one, /^One/) === 0).length;
    expect(looked()).toBeGreaterThanOrEqual(48);
    expect(looked()).toBeLessThanOrEqual(52);
    expect(callers.filter((one) => heard(one, /^One moment/) > 0).length).toBeGreaterThanOrEqual(42);
    await rig.pass(60_000);
    expect(looked()).toBeLessThanOrEqual(56);
    expect(rig.received).toEqual([]);
    expect(JSON.stringify(rig.logLines)).not.toMatch(/111111|222222|333333|471199/);
    await rig.pass(60_000);
    expect(callers.filter(({ state }) => state !== 'ended')).toEqual([]);
  });

  it('accepts a correct PIN within a minute from callers at other addresses than the waiting ones', async () => {
    const rig = await open();
    await attack(rig);
    for (let call = 0; call < 10; call++) {
      const farEnd = rig.call('100', `666${call}`, 'udp:203.0.113.1:5060');
      await rig.pass(300);
      farEnd.press('123456#', { toneMs: 40, gapMs: 40 });
    }
    const honest = rig.call('100', '7777', HONEST);
    await rig.pass(500);
    honest.press('471199#');
    await rig.pass(3000);
    expect([heard(honest, /^One moment/), rig.received.length]).toEqual([1, 0]);
    await rig.pass(55_000);
    expect(rig.eventNames().slice(0, 2)).toEqual(['incomingcall', 'connected']);
    expect(rig.received[0]?.body).toMatchObject({ from: '7777' });
  });

  it('accepts the PIN at once from callers who have used it before', async () => {
    const rig = await open();
    const first = rig.call('100', '7777', HONEST);
    await rig.pass(500);
    first.press('471199#');
    await rig.pass(3000);
    first.hangUp();
    await rig.pass(1000);
    await attack(rig);
    rig.received.length = 0;
    const again = rig.call('100', '7777', 'udp:192.0.2.7:40321');
    await rig.pass(500);
    again.press('471199#');
    await rig.pass(3000);
    expect(rig.eventNames().slice(0, 2)).toEqual(['incomingcall', 'connected']);
    expect(heard(again, /^One moment/)).toBe(0);
  });

  it('accepts a correct PIN from an address that fifty callers with wrong PINs share', async () => {
    const rig = await open();
    for (let index = 0; index < 55; index++) {
      const farEnd = rig.call('200', `555${1000 + index}`, HONEST);
      await rig.pass(300);
      farEnd.press('111111#', { toneMs: 40, gapMs: 40 });
    }
    await rig.pass(2500);
    const honest = rig.call('100', '7777', HONEST);
    await rig.pass(500);
    honest.press('471199#');
    await rig.pass(22_000);
    expect(rig.eventNames().slice(0, 2)).toEqual(['incomingcall', 'connected']);
    expect(rig.received[0]?.body).toMatchObject({ from: '7777' });
  });

  it('does not slow down calls to another number, nor later calls', async () => {
    const rig = await open();
    await attack(rig);
    const other = rig.call('200', '7777', HONEST);
    await rig.pass(500);
    other.press('471199#');
    await rig.pass(3000);
    expect(rig.eventNames().slice(0, 2)).toEqual(['incomingcall', 'connected']);
    rig.received.length = 0;
    await rig.pass(60_000);
    const later = rig.call('100', '8888', HONEST);
    await rig.pass(500);
    later.press('081500#');
    await rig.pass(3000);
    expect(heard(later, /^One moment/)).toBe(0);
    expect(rig.received.map(({ body }) => body['from'])).toContain('8888');
  });

  it('does not delay many callers who enter correct PINs', async () => {
    const rig = await open();
    for (let index = 0; index < 120; index++) {
      const farEnd = await guess(rig, index, '471199#');
      await rig.pass(500);
      expect(heard(farEnd, /^One moment/)).toBe(0);
      farEnd.hangUp();
    }
    await rig.pass(1000);
    expect(rig.eventNames().filter((word) => word === 'incomingcall')).toHaveLength(120);
  });
});
