import { describe, expect, it } from 'vitest';
import { DtmfSender } from '../../src/media/telephony/media/dtmf-sender.ts';
import { packetOf, rig } from './rig.ts';

/** Packets by interval: `5+160` first packet, `5=480` end packet, `.` interval without a packet, `!id` answer. */
function wire(requests: { sendId: string; digits: string; toneMs: number; gapMs: number }[], intervalMs = 20): string {
  const words: string[] = [];
  const sender = new DtmfSender((sendId) => words.push(`!${sendId}`));
  for (const request of requests) sender.add(request);
  for (let step = 0; sender.active && step < 500; step++) {
    const out = sender.step(intervalMs);
    const sign = out?.repeated ? '~' : out?.ends ? '=' : out?.begins ? '+' : '-';
    words.push(out ? `${out.event}${sign}${out.durationSamples}` : '.');
  }
  return words.join(' ');
}

describe('digits on the wire (RFC 4733 §2.5.1)', () => {
  it.each([
    ['a tone grows, ends, and its end is sent three times', '5', 60, 100, '!a 5+160 5-320 5=480 5~480 5~480 . . .'],
    ['a tone that is no multiple of the interval', '1', 50, 40, '1+160 1-320 1=400 1~400 1~400'],
    [
      'the gap counts from the end of the tone',
      '12',
      40,
      80,
      '1+160 1=320 1~320 1~320 . . 2+160 2=320 2~320 2~320 . .',
    ],
    ['repeats of the end do not fit into a shorter gap', '1', 40, 0, '1+160 1=320 1~320 1~320'],
    ['a tone is never too short to be heard', '1', 5, 40, '1+160 1=320 1~320 1~320'],
  ])('sends digits as packets: %s', (_, digits, toneMs, gapMs, expected) => {
    const heard = wire([{ sendId: 'a', digits, toneMs, gapMs }]);
    const plain = (text: string) => text.replace(/ ?!a ?/, ' ').trim();
    expect(plain(heard)).toBe(plain(expected));
    expect(heard.match(/!a/g)).toHaveLength(1);
  });

  it('pauses for half a second at w', () => {
    const between = wire([{ sendId: 'a', digits: '1w2', toneMs: 40, gapMs: 40 }]).match(/(\. )+/)![0];
    expect(between.split(' ').length * 20).toBeGreaterThanOrEqual(500);
    expect(between.split(' ').length * 20).toBeLessThanOrEqual(560);
  });

  it('sends one string after the other and answers each with its last packet', () => {
    const heard = wire([
      { sendId: 'a', digits: '1', toneMs: 40, gapMs: 40 },
      { sendId: 'b', digits: '2', toneMs: 40, gapMs: 40 },
    ]);
    expect(heard).toBe('1+160 1=320 1~320 !a 1~320 2+160 2=320 2~320 !b 2~320');
  });

  it.each(['', 'xyz', '€'])('answers %j, which contains no digit to send', (digits) => {
    expect(wire([{ sendId: 'a', digits, toneMs: 100, gapMs: 100 }])).toBe('!a .');
  });

  it('answers all that is queued when the leg ends', () => {
    const answers: string[] = [];
    const sender = new DtmfSender((sendId) => answers.push(sendId));
    sender.add({ sendId: 'a', digits: '123', toneMs: 100, gapMs: 100 });
    sender.add({ sendId: 'b', digits: '4', toneMs: 100, gapMs: 100 });
    sender.step(20);
    sender.close();
    expect(answers).toEqual(['a', 'b']);
    expect(sender.active).toBe(false);
  });
});

describe('digits of a leg', () => {
  const send = { sendId: 's', digits: '1D', toneMs: 60, gapMs: 60 };

  it('uses one timestamp for the packets of a digit, with a marker and growing sequence numbers', () => {
    const { leg, sent, run } = rig();
    leg.output.sendDigits(send);
    run(400);
    const first = sent.slice(0, 5);
    expect(first.map((packet) => packet.marker)).toEqual([true, false, false, false, false]);
    expect(new Set(first.map((packet) => packet.timestamp)).size).toBe(1);
    expect(sent.map((packet) => packet.sequence)).toEqual(sent.map((_, index) => (65_534 + index) & 0xffff));
    expect(sent[5]!.timestamp).toBe((first[0]!.timestamp + 120 * 8) >>> 0);
    expect(Buffer.from(sent[5]!.payload).toString('hex')).toBe('0f0a00a0');
    expect(Buffer.from(sent.at(-1)!.payload).toString('hex')).toBe('0f8a01e0');
  });

  it('reaches the receiver of another leg intact', () => {
    const sender = rig();
    const receiver = rig();
    sender.leg.output.sendDigits({ ...send, digits: '0123456789*#ABCD55' });
    sender.run(4000);
    for (const packet of sender.sent) {
      receiver.receive(packetOf(packet, packet.payload), { atMs: packet.atMs });
    }
    const digits = receiver.events.map((event) => (event.type === 'digit' ? event.digit : '?'));
    expect(digits.join('')).toBe('0123456789*#ABCD55');
  });
});
