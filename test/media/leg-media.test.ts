import { describe, expect, it } from 'vitest';
import type { G711Codec } from '../../src/media/telephony/media/media-port.ts';
import { decodeTable } from '../../src/media/toolbox/audio/g711.ts';
import { amplitudeAt } from '../speech/sounds.ts';
import { eventPayload, items, packetOf, REMOTE, rig, type Sent, START, tone } from './rig.ts';

const heard = (sent: Sent[], codec: G711Codec = 'PCMU'): Int16Array =>
  Int16Array.from(sent.flatMap((packet) => [...packet.payload].map((byte) => decodeTable(codec)[byte]!)));

const play = (pcm: Int16Array[], playId = 'p', repeat = false) => ({ playId, items: items(pcm), repeat });

describe('playing to a leg', () => {
  it('sends one packet per interval, marked once, numbered and stamped without a seam across both wraps', () => {
    const { leg, sent, events, run } = rig();
    leg.output.play(play([tone(440, 1000)]));
    run(1100);
    expect(sent).toHaveLength(50);
    for (const [index, packet] of sent.entries()) {
      expect(packet).toMatchObject({
        payloadType: 0,
        marker: index === 0,
        sequence: (START.sequence + index) & 0xffff,
        timestamp: (START.timestamp + index * 160) >>> 0,
        ssrc: START.ssrc,
        to: '192.0.2.7:4000',
      });
      expect(packet.payload).toHaveLength(160);
    }
    expect(amplitudeAt(440, heard(sent))).toBeGreaterThan(9500);
    expect(events).toEqual([{ type: 'play_ended', playId: 'p', reason: 'finished', playedMs: 1000 }]);
    expect(leg.active).toBe(false);
  });

  it('joins items within a packet and fills the last one with silence', () => {
    const { leg, sent, events, run } = rig();
    const parts = [tone(440, 30), tone(440, 5), new Int16Array(0), tone(440, 10)];
    leg.output.play(play(parts));
    run(200);
    const samples = heard(sent);
    const whole = parts.flatMap((part) => [...part]);
    expect(samples).toHaveLength(480);
    for (const [index, sample] of whole.entries()) expect(Math.abs(samples[index]! - sample)).toBeLessThan(700);
    expect(samples.subarray(360).every((sample) => sample === 0)).toBe(true);
    expect(events).toMatchObject([{ reason: 'finished', playedMs: 45 }]);
  });

  it('finishes when the last packet has been heard, not when it was sent', () => {
    const { leg, events, run } = rig();
    leg.output.play(play([tone(440, 100)]));
    run(100);
    expect(events).toEqual([]);
    run(20);
    expect(events).toHaveLength(1);
  });

  it('keeps its timeline over a break, and marks the next packet', () => {
    const { leg, sent, run } = rig();
    leg.output.play(play([tone(440, 40)]));
    run(500);
    leg.output.play(play([tone(440, 40)], 'q'));
    run(100);
    expect(sent.map((packet) => packet.marker)).toEqual([true, false, true, false]);
    expect((sent[2]!.timestamp - sent[0]!.timestamp) >>> 0).toBe(500 * 8);
  });

  it('repeats until it is stopped, and reports how much was played', () => {
    const { leg, sent, events, run } = rig();
    leg.output.play(play([tone(440, 50)], 'p', true));
    run(1000);
    leg.output.stopPlay('another');
    expect(events).toEqual([]);
    leg.output.stopPlay('p');
    run(100);
    expect(sent).toHaveLength(50);
    expect(events).toEqual([{ type: 'play_ended', playId: 'p', reason: 'stopped', playedMs: 1000 }]);
  });

  it.each([true, false])('finishes an empty play at once (repeat: %s)', (repeat) => {
    const { leg, sent, events, run } = rig();
    leg.output.play(play([new Int16Array(0)], 'p', repeat));
    leg.output.play(play([], 'q', repeat));
    run(40);
    expect(sent).toEqual([]);
    const over = { type: 'play_ended', reason: 'finished', playedMs: 0 };
    expect(events).toEqual([
      { ...over, playId: 'p' },
      { ...over, playId: 'q' },
    ]);
  });

  it('is stopped by the next play', () => {
    const { leg, events, run } = rig();
    leg.output.play(play([tone(440, 1000)], 'p'));
    run(200);
    leg.output.play(play([tone(440, 100)], 'q'));
    run(200);
    expect(events).toMatchObject([
      { playId: 'p', reason: 'stopped', playedMs: 200 },
      { playId: 'q', reason: 'finished', playedMs: 100 },
    ]);
  });

  it('waits until the far side is known', () => {
    const { leg, sent, run } = rig({ remote: null });
    leg.output.play(play([tone(440, 40)]));
    run(1000);
    expect(leg.active).toBe(false);
    leg.connect(REMOTE, 0);
    expect(leg.active).toBe(true);
    run(100);
    expect(sent).toHaveLength(2);
  });

  it('advances unheard while the far side holds the call', () => {
    const { leg, sent, events, run } = rig();
    leg.output.play(play([tone(440, 300)]));
    run(100);
    leg.connect({ ...REMOTE, send: false }, 0);
    run(100);
    leg.connect(REMOTE, 0);
    run(200);
    expect(sent).toHaveLength(10);
    expect(sent.map((packet) => packet.marker)).toEqual([true, ...Array(4).fill(false), true, ...Array(4).fill(false)]);
    expect(events).toMatchObject([{ reason: 'finished', playedMs: 300 }]);
  });

  it('follows a change of codec and packet time in the middle of a prompt', () => {
    const { leg, sent, run } = rig();
    leg.output.play(play([tone(440, 1000)]));
    run(400);
    leg.connect({ ...REMOTE, codec: 'PCMA', payloadType: 8, ptimeMs: 30 }, 0);
    run(660);
    const after = sent.slice(20);
    expect(after).toHaveLength(20);
    expect(after.every((packet) => packet.payloadType === 8 && packet.payload.length === 240)).toBe(true);
    expect(after.every((packet) => !packet.marker)).toBe(true);
    expect(amplitudeAt(440, heard(after, 'PCMA'))).toBeGreaterThan(9500);
  });
});

describe('a key press', () => {
  /** Held this long, and reported only by the packets at its end. */
  const hear = (at: ReturnType<typeof rig>, event: number, timestamp: number, ms = 100) => {
    at.receive(packetOf({ payloadType: 101, timestamp, sequence: timestamp }, eventPayload(event, ms * 8, true)));
  };
  const tell = ({ leg, nowMs }: ReturnType<typeof rig>, digit: string) => leg.signalledDigit(digit, 100, nowMs);
  const digits = ({ events }: ReturnType<typeof rig>) =>
    events.flatMap((event) => (event.type === 'digit' ? [event.digit] : [])).join('');

  it('counts each time when reported by signalling alone', () => {
    const line = rig();
    for (const digit of '5512') tell(line, digit);
    expect(digits(line)).toBe('5512');
  });

  it.each([0, 20, 500, 1900])(
    'counts once when reported by signalling and in the audio, %i ms apart, whichever is first',
    (apartMs) => {
      const line = rig();
      tell(line, '5');
      line.run(apartMs);
      hear(line, 5, 800);
      line.run(3000);
      hear(line, 5, 80_000);
      line.run(apartMs);
      tell(line, '5');
      expect(digits(line)).toBe('55');
    },
  );

  it('counts once for a long key, although signalling reported its beginning', () => {
    const line = rig();
    tell(line, '5');
    line.run(5000);
    hear(line, 5, 800, 5000);
    expect(digits(line)).toBe('5');
  });

  it('counts as often as repeated when reported by both', () => {
    const line = rig();
    for (let press = 1; press <= 3; press++) {
      hear(line, 5, press * 1600);
      line.run(100);
    }
    for (let press = 1; press <= 3; press++) tell(line, '5');
    expect(digits(line)).toBe('555');
  });

  it('counts again after a long time, or if it is another digit', () => {
    const line = rig();
    tell(line, '5');
    hear(line, 6, 800);
    line.run(3000);
    hear(line, 5, 80_000);
    expect(digits(line)).toBe('565');
  });

  it('is relayed to the other party once', () => {
    const line = rig();
    const passed: string[] = [];
    line.leg.setMixPort({
      mix: { relayDigit: (_: unknown, digit: string) => passed.push(digit), remove() {} },
    } as never);
    tell(line, '5');
    hear(line, 5, 800);
    hear(line, 6, 8000);
    tell(line, '6');
    expect(passed.join('')).toBe('56');
  });

  it('counts once as a tone and by signalling where telephone events were not negotiated', () => {
    const { telephoneEventPayloadType: _, ...plain } = REMOTE;
    const line = rig({ remote: null });
    line.leg.connect(plain, 0);
    const [low, high] = [tone(770, 100), tone(1336, 100)];
    const pcm = Int16Array.from({ length: 3200 }, (_each, at) => (low[at] ?? 0) + (high[at] ?? 0));
    for (let at = 0; at < 20; at++) {
      const [{ bytes } = { bytes: new Uint8Array() }] = items([pcm.subarray(at * 160, at * 160 + 160)]);
      line.receive(packetOf({ sequence: at, timestamp: at * 160 }, bytes));
      line.run(20);
    }
    expect(digits(line)).toBe('5');
    tell(line, '5');
    expect(digits(line)).toBe('5');
    tell(line, '5');
    expect(digits(line)).toBe('55');
  });
});

describe('digits during a prompt', () => {
  it('silences the prompt, which advances', () => {
    const { leg, sent, events, run } = rig();
    leg.output.play(play([tone(440, 1000)]));
    run(200);
    leg.output.sendDigits({ sendId: 's', digits: '5', toneMs: 100, gapMs: 100 });
    run(1000);
    const audio = sent.filter((packet) => packet.payloadType === 0);
    const digits = sent.filter((packet) => packet.payloadType === 101);
    expect(digits).toHaveLength(7);
    expect(audio).toHaveLength(40);
    expect(events).toEqual([
      { type: 'digits_sent', sendId: 's' },
      { type: 'play_ended', playId: 'p', reason: 'finished', playedMs: 1000 },
    ]);
  });

  it('are tones in the audio when telephone events were not negotiated', () => {
    const { leg, sent, events, run } = rig();
    const { telephoneEventPayloadType: _, ...plain } = REMOTE;
    leg.connect(plain, 0);
    leg.output.sendDigits({ sendId: 's', digits: '8', toneMs: 100, gapMs: 100 });
    run(400);
    expect(sent.every((packet) => packet.payloadType === 0)).toBe(true);
    const samples = heard(sent);
    expect(samples).toHaveLength(800);
    expect(amplitudeAt(852, samples)).toBeGreaterThan(6000);
    expect(amplitudeAt(1336, samples)).toBeGreaterThan(6000);
    expect(amplitudeAt(1209, samples)).toBeLessThan(500);
    expect(events).toEqual([{ type: 'digits_sent', sendId: 's' }]);
  });
});

describe('source of the packets of a leg', () => {
  const audio = (sequence: number) => packetOf({ sequence }, new Uint8Array(160));

  it('counts and drops packets from another address', () => {
    const { leg, receive } = rig();
    receive(audio(1), { host: '192.0.2.66' });
    receive(audio(1));
    expect(leg.counts).toEqual({ sent: 0, received: 1, strange: 1, malformed: 0, late: 0 });
  });

  describe('before the far side is known', () => {
    const key = (digit: number, timestamp: number) =>
      packetOf({ payloadType: 101, timestamp }, eventPayload(digit, 800, true));

    it('processes its packets later, and those of others never', () => {
      const { leg, events, receive } = rig({ remote: null });
      receive(key(6, 1000), { host: '192.0.2.66' });
      receive(key(1, 2000));
      receive(key(2, 3000));
      expect(events).toEqual([]);
      leg.connect(REMOTE, 1);
      expect(events).toEqual([
        { type: 'digit', digit: '1', durationMs: 100 },
        { type: 'digit', digit: '2', durationMs: 100 },
      ]);
      expect(leg.counts).toMatchObject({ received: 2, strange: 1 });
    });

    it('does not move to other sources, and follows the far side to its port', () => {
      const { leg, sent, receive, run } = rig({ remote: null });
      for (const sequence of [1, 2, 3]) {
        receive(audio(sequence), { host: '192.0.2.66', port: 6666 });
        receive(audio(sequence), { port: 5555 });
        receive(audio(sequence), { port: 6666 });
      }
      leg.connect(REMOTE, 1);
      expect(leg.counts).toMatchObject({ received: 1, strange: 8 });
      leg.output.play(play([tone(440, 20)]));
      run(40);
      expect(sent.map((packet) => packet.to)).toEqual(['192.0.2.7:5555']);
    });

    it('drops packets that are too old', () => {
      const { leg, events, receive } = rig({ remote: null });
      receive(key(1, 1000), { atMs: 0 });
      receive(key(2, 2000), { atMs: 900 });
      leg.connect(REMOTE, 1000);
      expect(events).toEqual([{ type: 'digit', digit: '2', durationMs: 100 }]);
      expect(leg.counts).toMatchObject({ received: 1, strange: 1 });
    });

    it('keeps a bounded number of packets, however many arrive', () => {
      const { leg, events, receive } = rig({ remote: null });
      receive(key(1, 1000));
      receive(new Uint8Array(60_000));
      for (let n = 0; n < 1000; n++) receive(audio(n), { host: '192.0.2.66' });
      receive(key(2, 2000));
      expect(leg.counts).toMatchObject({ received: 0, strange: 1003 });
      leg.connect(REMOTE, 1);
      expect(events).toEqual([{ type: 'digit', digit: '2', durationMs: 100 }]);
      expect(leg.counts).toMatchObject({ received: 1, strange: 1002 });
    });
  });

  /** Three packets in a row. */
  const three = [1, 2, 3].map(audio);

  it('follows the peer to another port, and sends there', () => {
    const { leg, sent, receive, run } = rig();
    for (const packet of three) receive(packet, { port: 5555 });
    for (const packet of three) receive(packet, { port: 6666 });
    expect(leg.counts).toMatchObject({ received: 1, strange: 5 });
    leg.output.play(play([tone(440, 20)]));
    run(40);
    expect(sent.map((packet) => packet.to)).toEqual(['192.0.2.7:5555']);
  });

  it('follows the peer to the address of its signalling, and to no other', () => {
    const { leg, sent, receive, run } = rig({ remote: { otherHost: '192.0.2.9' } });
    for (const packet of three) {
      receive(packet, { host: '192.0.2.66' });
      receive(packet, { host: '192.0.2.9', port: 7777 });
    }
    expect(leg.counts).toMatchObject({ received: 1, strange: 5 });
    leg.output.play(play([tone(440, 20)]));
    run(40);
    expect(sent.map((packet) => packet.to)).toEqual(['192.0.2.9:7777']);
  });

  it('does not follow packets to another port that are not RTP of this call', () => {
    const { leg, sent, receive, run } = rig();
    receive(new Uint8Array(100), { port: 5555 });
    receive(packetOf({ payloadType: 96 }, [1, 2]), { port: 5555 });
    expect(leg.counts).toMatchObject({ malformed: 2 });
    leg.output.play(play([tone(440, 20)]));
    run(40);
    expect(sent[0]!.to).toBe('192.0.2.7:4000');
  });

  it('keeps the learned port when the same address is renegotiated, and drops it with a new one', () => {
    const { leg, sent, receive, run } = rig();
    for (const packet of three) receive(packet, { port: 5555 });
    leg.connect({ ...REMOTE, ptimeMs: 30 }, 0);
    leg.output.play(play([tone(440, 30)]));
    run(60);
    leg.connect({ ...REMOTE, port: 4100 }, 0);
    leg.output.play(play([tone(440, 20)]));
    run(40);
    expect(sent.map((packet) => packet.to)).toEqual(['192.0.2.7:5555', '192.0.2.7:4100']);
  });

  it('ignores packets while only sending was negotiated', () => {
    const { leg, events, receive, run } = rig({ remote: { receive: false } });
    receive(packetOf({ payloadType: 101 }, eventPayload(5, 800, true)));
    run(500);
    expect(events).toEqual([]);
    expect(leg.active).toBe(false);
  });
});

describe('recording of a leg', () => {
  const record = {
    recordId: 'r',
    file: '',
    maxLengthMs: 10_000,
    endSilenceMs: 0,
    terminators: '#*',
    dual: false,
    background: false,
  };
  const digit = (event: number, timestamp = 900) =>
    packetOf({ payloadType: 101, timestamp }, eventPayload(event, 800, true));

  it.each(['PCMU', 'PCMA'] as const)('decodes %s, also when the other law was negotiated', (codec) => {
    const { leg, receive, run, recorded } = rig();
    leg.record(record, 0);
    const [audio] = items([tone(440, 500)], codec);
    for (let index = 0; index < 25; index++) {
      run(20);
      const payload = audio!.bytes.slice(index * 160, index * 160 + 160);
      receive(packetOf({ payloadType: codec === 'PCMU' ? 0 : 8, sequence: index, timestamp: index * 160 }, payload));
    }
    leg.stopRecord('r', 500);
    expect(recorded()).toHaveLength(4000);
    expect(amplitudeAt(440, recorded())).toBeGreaterThan(9000);
  });

  it('ends at a terminator, after the digit itself', () => {
    const { leg, receive, run, answers } = rig();
    leg.record(record, 0);
    run(300);
    receive(digit(1, 100));
    run(100);
    receive(digit(11));
    receive(digit(11));
    run(100);
    expect(answers()).toEqual([
      { type: 'digit', digit: '1', durationMs: 100 },
      { type: 'digit', digit: '#', durationMs: 100 },
      { type: 'recorded', recordId: 'r', reason: 'terminator', durationMs: 400, speechMs: 0 },
    ]);
    expect(leg.active).toBe(false);
  });

  it('ends at a terminator reported by signalling', () => {
    const { leg, run, answers } = rig();
    leg.record(record, 0);
    run(300);
    leg.signalledDigit('1', 100, 300);
    run(100);
    leg.signalledDigit('#', 100, 400);
    expect(answers().filter(({ type }) => type !== 'digit')).toEqual([
      { type: 'recorded', recordId: 'r', reason: 'terminator', durationMs: 400, speechMs: 0 },
    ]);
  });

  it('is stopped by the next recording', () => {
    const { leg, run, answers } = rig();
    leg.record(record, 0);
    run(200);
    leg.record({ ...record, recordId: 'q', maxLengthMs: 100 }, 200);
    run(300);
    expect(answers()).toMatchObject([
      { recordId: 'r', reason: 'stopped', durationMs: 200 },
      { recordId: 'q', reason: 'max_length', durationMs: 100 },
    ]);
  });

  it('runs before the far side is known', () => {
    const { leg, run, answers } = rig({ remote: null });
    leg.record({ ...record, maxLengthMs: 100 }, 0);
    expect(leg.active).toBe(true);
    run(300);
    expect(answers()).toMatchObject([{ reason: 'max_length' }]);
  });
});

describe('the end of a leg', () => {
  it('answers everything once, and nothing follows', () => {
    const { leg, sent, run, answers, receive } = rig();
    leg.output.play(play([tone(440, 1000)]));
    leg.record(
      {
        recordId: 'r',
        file: '',
        maxLengthMs: 10_000,
        endSilenceMs: 0,
        terminators: '',
        dual: false,
        background: false,
      },
      0,
    );
    leg.output.sendDigits({ sendId: 's', digits: '12345', toneMs: 100, gapMs: 100 });
    leg.output.sendDigits({ sendId: 't', digits: '1', toneMs: 100, gapMs: 100 });
    run(200);
    leg.close(200);
    const before = sent.length;
    const expected = [
      { type: 'play_ended', playId: 'p', reason: 'stopped', playedMs: 200 },
      { type: 'recorded', recordId: 'r', reason: 'hangup', durationMs: 200, speechMs: 0 },
      { type: 'digits_sent', sendId: 's' },
      { type: 'digits_sent', sendId: 't' },
    ];
    expect(answers()).toEqual(expected);
    leg.close(300);
    receive(packetOf({ payloadType: 101 }, eventPayload(1, 800, true)));
    run(500);
    expect(answers()).toEqual(expected);
    expect(sent).toHaveLength(before);
    expect(leg.active).toBe(false);
  });
});

describe('a party without audio to play', () => {
  it('gets a packet of silence every 15 s, before phones and routers take the call for dead', () => {
    const { leg, sent } = rig();
    for (let nowMs = 5_000; nowMs <= 61_000; nowMs += 7_000) leg.report(nowMs);
    expect(sent).toHaveLength(3);
    expect(
      sent.every(({ marker, payload }) => marker && payload.length === 160 && payload.every((byte) => byte === 0xff)),
    ).toBe(true);
    expect(new Set(sent.map(({ sequence }) => sequence)).size).toBe(3);
  });

  it('gets none while a prompt plays, and none where it wants no audio', () => {
    const party = rig();
    party.leg.output.play({ playId: 'p', items: items([tone(440, 20_000)]), repeat: false });
    party.run(20_000);
    const { length } = party.sent;
    party.leg.report(20_000);
    expect(party.sent).toHaveLength(length);
    const held = rig({ remote: { send: false } });
    for (let nowMs = 5_000; nowMs <= 61_000; nowMs += 7_000) held.leg.report(nowMs);
    expect(held.sent).toEqual([]);
    const unknown = rig({ remote: null });
    unknown.leg.report(60_000);
    expect(unknown.sent).toEqual([]);
  });
});
