import { describe, expect, it } from 'vitest';
import { decodeTable, encodeSample, recodeTable } from '../../src/media/toolbox/audio/g711.ts';
import { amplitudeAt } from '../speech/sounds.ts';
import { Meeting, Party } from './parties.ts';
import { items, tone } from './rig.ts';

const HZ = [300, 400, 500, 600, 700, 800, 900, 1000, 1100, 1200, 1300, 1400, 1500, 1600, 1700, 1800];
/** A constant that both laws encode exactly, so that sums are exact. */
const level = (value: number, ms: number): Int16Array =>
  new Int16Array(ms * 8).fill(decodeTable('PCMU')[encodeSample(value, 'PCMU')]!);
const exactly = (value: number): number => decodeTable('PCMU')[encodeSample(value, 'PCMU')]!;

describe('two parties in one thread', () => {
  it('forwards audio packet by packet, on arrival, without a tick', () => {
    const [a, b] = [new Party(1), new Party(2)];
    const { mix } = new Meeting([[a, b]]).threads[0]!;
    a.say(tone(440, 200));
    for (let index = 0; index < 10; index++) {
      a.nowMs = b.nowMs = index * 20;
      a.speak();
      expect(b.sent).toHaveLength(index + 1);
    }
    expect(mix.isMixing).toBe(false);
    expect([a.leg.active, b.leg.active]).toEqual([false, false]);
    expect(b.sent.map(({ marker }) => marker)).toEqual([true, ...Array(9).fill(false)]);
    for (const [index, packet] of b.sent.entries()) {
      expect(packet).toMatchObject({ ssrc: 1002, sequence: (65_500 + index) & 0xffff, payloadType: 0 });
      expect(packet.timestamp - b.sent[0]!.timestamp).toBe(index * 160);
    }
    expect(amplitudeAt(440, b.heard())).toBeGreaterThan(9000);
    expect(a.sent).toEqual([]);
  });

  it('forwards loss and order as they are, without duplicates', () => {
    const [a, b] = [new Party(1), new Party(2)];
    new Meeting([[a, b]]);
    a.say(tone(440, 200));
    const packets: Uint8Array[] = [];
    const { receive } = a;
    a.receive = (packet) => packets.push(packet);
    for (a.nowMs = 0; a.nowMs < 200; a.nowMs += 20) a.speak();
    for (const index of [0, 1, 3, 2, 3, 6]) receive.call(a, packets[index]!);
    const base = b.sent[0]!;
    expect(b.sent.map(({ sequence }) => sequence - base.sequence)).toEqual([0, 1, 3, 2, 6]);
    expect(b.sent.map(({ timestamp }) => (timestamp - base.timestamp) >>> 0)).toEqual([0, 160, 480, 320, 960]);
  });

  it.each([
    ['PCMU', 'PCMA'],
    ['PCMA', 'PCMU'],
  ] as const)('are transcoded by table between %s and %s', (from, to) => {
    const [a, b] = [new Party(1, { codec: from }), new Party(2, { codec: to })];
    new Meeting([[a, b]]).run(20);
    a.say(tone(440, 200));
    a.speak();
    const [said] = items([tone(440, 20)], from);
    expect(b.sent[0]!.payloadType).toBe(to === 'PCMU' ? 0 : 8);
    expect([...b.sent[0]!.payload]).toEqual([...said!.bytes].map((byte) => recodeTable(to)[byte]));
  });

  it('delivers the same through a mix, but later', () => {
    const here = [new Party(1), new Party(2)];
    const there = [new Party(1), new Party(2)];
    const relay = new Meeting([here]);
    const mixed = new Meeting([[there[0]!], [there[1]!]]);
    for (const [first, second] of [here, there]) {
      first!.say(tone(440, 1000));
      second!.say(tone(700, 1000));
    }
    relay.run(1200);
    mixed.run(1200);
    const straight = here[1]!.heard();
    const detour = there[1]!.heard();
    const start = detour.findIndex((sample) => sample !== 0) - straight.findIndex((sample) => sample !== 0);
    expect(start).toBeGreaterThan(0);
    expect(start).toBeLessThanOrEqual(140 * 8);
    expect([...detour.subarray(start, start + 7000)]).toEqual([...straight.subarray(0, 7000)]);
  });

  it('silences a muted or held party, while a muted one still hears', () => {
    const [a, b] = [new Party(1), new Party(2)];
    const meeting = new Meeting([[a, b]]);
    a.say(tone(440, 2000));
    b.say(tone(700, 2000));
    a.leg.mute(true);
    meeting.run(400);
    expect(b.sent).toEqual([]);
    expect(a.sent).toHaveLength(20);
    a.leg.mute(false);
    meeting.run(400);
    expect(b.sent).toHaveLength(20);
    a.leg.output.hold(items([tone(1000, 100)]));
    meeting.run(400);
    expect(b.sent).toHaveLength(20);
    expect(a.sent).toHaveLength(60);
    expect(amplitudeAt(1000, a.heard().subarray(41 * 160))).toBeGreaterThan(8000);
    expect(amplitudeAt(700, a.heard().subarray(41 * 160))).toBeLessThan(300);
    a.leg.output.hold(undefined);
    meeting.run(200);
    expect(b.sent).toHaveLength(30);
  });

  it.each([
    ['one thread', (a: Party, b: Party) => [[a, b]]],
    ['two threads', (a: Party, b: Party) => [[a], [b]]],
  ])("reports in %s the other party's keys as events", (_, threads) => {
    const [a, b] = [new Party(1), new Party(2)];
    const meeting = new Meeting(threads(a, b));
    a.press(7, 400, false);
    a.press(7, 960, true);
    expect(a.events).toEqual([{ type: 'digit', digit: '7', durationMs: 120 }]);
    meeting.run(400);
    expect(b.events).toEqual([]);
    const events = b.sent.filter(({ payloadType }) => payloadType === 101);
    expect(events.at(-1)!.payload[0]).toBe(7);
    expect(events.at(-1)!.payload[1]! & 0x80).toBe(0x80);
    expect(events.at(-1)!.payload.subarray(2)).toEqual(Uint8Array.of(960 >>> 8, 960 & 0xff));
    expect(a.sent.some(({ payloadType }) => payloadType === 101)).toBe(false);
  });

  it.each([
    ['one thread', (a: Party, b: Party) => [[a, b]]],
    ['two threads', (a: Party, b: Party) => [[a], [b]]],
  ])('reports in %s keys from signalling, with a bounded length', (_, threads) => {
    const [a, b] = [new Party(1), new Party(2)];
    const meeting = new Meeting(threads(a, b));
    a.leg.signalledDigit('7', 99_999, 0);
    meeting.run(2_000);
    expect(a.events).toEqual([{ type: 'digit', digit: '7', durationMs: 99_999 }]);
    const events = b.sent.filter(({ payloadType }) => payloadType === 101);
    expect(events.at(-1)!.payload[0]).toBe(7);
    expect(events.at(-1)!.payload.subarray(2)).toEqual(Uint8Array.of(8_000 >>> 8, 8_000 & 0xff));
  });

  it('does not relay keys when there are three', () => {
    const parties = [new Party(1), new Party(2), new Party(3)];
    const meeting = new Meeting([parties]);
    parties[0]!.press(7, 960, true);
    meeting.run(400);
    expect(parties.flatMap(({ sent }) => sent).some(({ payloadType }) => payloadType === 101)).toBe(false);
  });
});

describe('a mix', () => {
  it.each([
    [2, 1],
    [3, 1],
    [3, 2],
    [16, 8],
  ])('plays to each of %d parties, %d of them in one thread, exactly the others', (count, here) => {
    const parties = Array.from({ length: count }, (_, index) => new Party(index + 1));
    const meeting = new Meeting([parties.slice(0, here), parties.slice(here)]);
    const values = parties.map((_, index) => exactly(100 * (index + 1)));
    for (const [index, party] of parties.entries()) party.say(level(values[index]!, 2000));
    meeting.run(1000);
    const all = values.reduce((sum, value) => sum + value, 0);
    for (const [index, party] of parties.entries()) {
      const late = party.heard().subarray(-1600);
      expect(new Set(late)).toEqual(new Set([exactly(all - values[index]!)]));
    }
  });

  it('plays each of 16 tones to all but its sender', () => {
    const parties = Array.from(
      { length: 16 },
      (_, index) => new Party(index + 1, index % 2 === 0 ? {} : { codec: 'PCMA' }),
    );
    const meeting = new Meeting([parties.slice(0, 5), parties.slice(5)]);
    for (const [index, party] of parties.entries()) party.say(tone(HZ[index]!, 2000, 1500));
    meeting.run(1400);
    for (const [index, party] of parties.entries()) {
      const late = party.heard().subarray(-6400);
      for (const [other, frequencyHz] of HZ.entries()) {
        if (other === index) expect(amplitudeAt(frequencyHz, late)).toBeLessThan(60);
        else expect(amplitudeAt(frequencyHz, late)).toBeGreaterThan(1300);
      }
    }
  });

  it('is clipped to 16 bits, not wrapped', () => {
    const parties = [1, 2, 3, 4].map((number) => new Party(number));
    const meeting = new Meeting([parties]);
    for (const party of parties.slice(1)) party.say(level(30_000, 1000));
    meeting.run(600);
    expect(new Set(parties[0]!.heard().subarray(-800))).toEqual(new Set([exactly(32_767)]));
  });

  it('continues when members leave: from three to a relay of two, to one alone', () => {
    const parties = [new Party(1), new Party(2), new Party(3)];
    const meeting = new Meeting([parties]);
    const { mix } = meeting.threads[0]!;
    for (const [index, party] of parties.entries()) party.say(tone(HZ[index * 4]!, 4000));
    meeting.run(600);
    expect(mix.isMixing).toBe(true);
    mix.remove(parties[2]!.leg);
    expect(mix.isMixing).toBe(false);
    const before = parties[2]!.sent.length;
    meeting.run(600);
    expect(parties[2]!.sent).toHaveLength(before);
    expect(parties[0]!.sent.length).toBeGreaterThan(50);
    expect(amplitudeAt(HZ[4]!, parties[0]!.heard().subarray(-3200))).toBeGreaterThan(9000);
    parties[1]!.leg.close(meeting.nowMs);
    const alone = parties[0]!.sent.length;
    meeting.run(600);
    expect(parties[0]!.sent).toHaveLength(alone);
    expect(parties[0]!.leg.active).toBe(false);
  });

  it.each([10, 30, 60])('reads and writes packets of %d ms', (ptimeMs) => {
    const parties = [new Party(1), new Party(2), new Party(3, { ptimeMs })];
    const meeting = new Meeting([parties]);
    parties[0]!.say(tone(440, 3000));
    const odd = parties[2]!;
    const { tick } = odd.leg;
    let nextMs = 0;
    odd.leg.tick = (nowMs: number) => {
      for (; nextMs < nowMs + 20; nextMs += ptimeMs) tick.call(odd.leg, nextMs);
    };
    meeting.run(1800);
    expect(odd.sent.every(({ payload }) => payload.length === ptimeMs * 8)).toBe(true);
    const late = odd.heard().subarray(-8000);
    expect(amplitudeAt(440, late)).toBeGreaterThan(9500);
  });
});
