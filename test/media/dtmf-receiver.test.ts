import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DtmfReceiver, type KeyPress } from '../../src/media/telephony/media/dtmf-receiver.ts';
import { eventPayload } from './rig.ts';

/** [event, timestamp, duration in samples, end?, source, marker?] */
type Packet = [event: number, timestamp: number, samples: number, end?: boolean, ssrc?: number, marker?: boolean];

/** Feeds packets 20 ms apart, then lets half a second pass; returns the digits with their durations. */
function pressed(packets: Packet[]): string[] {
  const digits: string[] = [];
  const receiver = new DtmfReceiver();
  const keep = (presses: readonly KeyPress[]): void => {
    for (const { digit, durationMs } of presses) digits.push(`${digit} ${durationMs}`);
  };
  let nowMs = 0;
  for (const [sequence, [event, timestamp, samples, end, ssrc = 1, marker = false]] of packets.entries()) {
    const bytes = Uint8Array.from(eventPayload(event, samples, end));
    keep(receiver.packet({ ssrc, sequence, timestamp, marker, bytes, payloadStart: 0, payloadEnd: 4 }, nowMs));
    keep(receiver.tick(nowMs));
    nowMs += 20;
  }
  for (const untilMs = nowMs + 500; nowMs < untilMs; nowMs += 20) keep(receiver.tick(nowMs));
  expect(receiver.pending).toBe(false);
  return digits;
}

/** A press as a well-behaved phone sends it. */
const press = (event: number, timestamp: number, ssrc = 1): Packet[] => [
  [event, timestamp, 160, false, ssrc],
  [event, timestamp, 320, false, ssrc],
  [event, timestamp, 480, true, ssrc],
  [event, timestamp, 480, true, ssrc],
  [event, timestamp, 480, true, ssrc],
];

const [five1, five2, five3, fiveEnd] = press(5, 1000);

/** As some gateways send it: the ends, or all packets, have another timestamp. */
const movedPress = (event: number, timestamp: number, moves: 'ends' | 'all'): Packet[] =>
  Array.from({ length: 9 }, (_, index) => {
    const isEnd = index >= 6;
    const late = moves === 'all' ? 160 * index : isEnd ? 960 : 0;
    return [event, timestamp + late, Math.min(960, 160 * (index + 1)), isEnd, 1, index === 0];
  });

describe('presses from telephone events (RFC 4733)', () => {
  it.each<[string, Packet[], string[]]>([
    [
      'a press whose end packets have another timestamp',
      [...movedPress(4, 1000, 'ends'), ...movedPress(7, 5000, 'ends')],
      ['4 120', '7 120'],
    ],
    [
      'a press whose timestamp grows with each packet',
      [...movedPress(4, 1000, 'all'), ...movedPress(7, 5000, 'all')],
      ['4 120', '7 120'],
    ],
    [
      'the same key twice by such a gateway, at once',
      [...movedPress(4, 1000, 'all'), ...movedPress(4, 2600, 'all')],
      ['4 120', '4 120'],
    ],
    [
      'the same key twice in single packets of one length, without a marker',
      [
        [4, 1000, 800, true],
        [4, 2200, 800, true],
      ],
      ['4 100', '4 100'],
    ],
    ['a press with its repeated ends', press(5, 1000), ['5 60']],
    [
      'each key',
      [10, 11, 12, 15, 0].flatMap((event, index) => press(event, 1000 * index)),
      ['* 60', '# 60', 'A 60', 'D 60', '0 60'],
    ],
    ['the same key twice, told apart by the timestamp', [...press(5, 1000), ...press(5, 3000)], ['5 60', '5 60']],
    ['only the last of the end packets', [five1!, fiveEnd!], ['5 60']],
    ['nothing but one end packet', [fiveEnd!], ['5 60']],
    ['no end packet at all', [five1!, five2!], ['5 40']],
    ['no end packet, and the next key at once', [five1!, five2!, ...press(6, 3000)], ['5 40', '6 60']],
    ['the first packet after the second', [five2!, five1!, five3!], ['5 60']],
    ['an update after the end', [five1!, five3!, five2!, fiveEnd!], ['5 60']],
    [
      'late ends of one key between packets of the next',
      [five1!, ...press(6, 3000).slice(0, 2), fiveEnd!, ...press(6, 3000).slice(2)],
      ['5 20', '6 60'],
    ],
    ['timestamps across the wrap', [...press(1, 0xffff_ff00), ...press(2, 0x500)], ['1 60', '2 60']],
    ['a source that starts anew with smaller timestamps', [...press(1, 9000), ...press(2, 1000, 2)], ['1 60', '2 60']],
    [
      'a source that restarts its clock without saying so',
      [...press(1, 4_000_000), ...press(2, 1000)],
      ['1 60', '2 60'],
    ],
    [
      'a key held for longer than one segment (§2.5.1.3)',
      [
        [7, 0, 65_535],
        [7, 65_535, 14_465, true],
      ],
      ['7 10000'],
    ],
    [
      'flash and other events that are no keys',
      [
        [16, 0, 400, true],
        [64, 900, 400, true],
      ],
      [],
    ],
  ])('decodes the packets: %s', (_, packets, digits) => {
    expect(pressed(packets)).toEqual(digits);
  });

  it('reports at the first end packet, not later', () => {
    const receiver = new DtmfReceiver();
    const bytes = Uint8Array.from(eventPayload(3, 800, true));
    const packet = { ssrc: 1, sequence: 1, timestamp: 5, marker: false, bytes, payloadStart: 0, payloadEnd: 4 };
    expect(receiver.packet(packet, 0)).toEqual([{ digit: '3', durationMs: 100 }]);
    expect(receiver.pending).toBe(false);
  });

  it('ignores payloads that are too short', () => {
    const receiver = new DtmfReceiver();
    const bytes = new Uint8Array(3);
    const packet = { ssrc: 1, sequence: 1, timestamp: 5, marker: false, bytes, payloadStart: 0, payloadEnd: 3 };
    expect(receiver.packet(packet, 0)).toEqual([]);
    expect(receiver.pending).toBe(false);
  });

  it('reports each press once, however its packets are lost, duplicated and reordered', () => {
    const keys = [5, 5, 0, 11];
    const presses = keys.map((event, index) => press(event, 1000 + index * 2000));
    const mangled = fc.tuple(
      ...presses.map((packets) =>
        fc
          .shuffledSubarray([...packets, ...packets], { minLength: 1 })
          .map((kept) => kept.map((packet): Packet => packet)),
      ),
    );
    fc.assert(
      fc.property(mangled, (all) => {
        expect(pressed(all.flat()).map((digit) => digit[0])).toEqual(['5', '5', '0', '#']);
      }),
      { numRuns: 300 },
    );
  });
});
