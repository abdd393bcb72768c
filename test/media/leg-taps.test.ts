import { describe, expect, it } from 'vitest';
import { decodeTable } from '../../src/media/toolbox/audio/g711.ts';
import { amplitudeAt } from '../speech/sounds.ts';
import { Meeting, Party } from './parties.ts';
import { concat, items, REMOTE, tone } from './rig.ts';

const pieces = (party: Party, listenId: string): Int16Array[] =>
  party.events.flatMap((event) => (event.type === 'listen_piece' && event.listenId === listenId ? [event.pcm] : []));

const frames = (party: Party, track: string): Uint8Array[] =>
  party.events.flatMap((event) => (event.type === 'stream_frame' && event.track === track ? [event.bytes] : []));

const decoded = (bytes: Uint8Array[]): Int16Array =>
  concat(bytes.map((frame) => Int16Array.from(frame, (byte) => decodeTable('PCMU')[byte]!)));

describe('taps of a leg', () => {
  it('costs nothing when unused', () => {
    const a = new Party(1);
    const meeting = new Meeting([[a]]);
    a.say(tone(440, 1000));
    meeting.run(1000);
    expect(a.leg.active).toBe(false);
    expect(a.leg.counts).toMatchObject({ received: 50, sent: 0 });
  });

  it('gives a recogniser chunks of 100 ms, silence included, and the rest at the end', () => {
    const a = new Party(1);
    const meeting = new Meeting([[a]]);
    a.leg.taps.listen('l', 'inbound');
    meeting.run(500);
    a.say(tone(440, 500));
    meeting.run(750);
    a.leg.taps.stopListen('l');
    const heard = pieces(a, 'l');
    expect(heard.map(({ length }) => length)).toEqual([...Array(12).fill(800), 480]);
    const all = concat(heard);
    expect(all.subarray(0, 4000).every((sample) => sample === 0)).toBe(true);
    expect(amplitudeAt(440, all.subarray(4800, 8000))).toBeGreaterThan(9000);
    expect(a.events.at(-1)).toEqual({ type: 'listen_over', listenId: 'l' });
    meeting.run(200);
    expect(a.leg.active).toBe(false);
  });

  it.each([
    ['passed on', (a: Party, b: Party) => [[a, b]]],
    ['mixed', (a: Party, b: Party) => [[a], [b]]],
  ])('gives silence to all receivers while audio is withheld, but reports keys, when the other is %s', (_, threads) => {
    const [a, b] = [new Party(1), new Party(2)];
    const meeting = new Meeting(threads(a, b));
    a.leg.taps.listen('l', 'inbound');
    a.leg.taps.stream({ streamId: 's', tracks: ['inbound', 'outbound'], bidirectional: false });
    const request = {
      recordId: 'r',
      file: '',
      maxLengthMs: 60_000,
      endSilenceMs: 0,
      terminators: '',
      background: true,
    };
    a.leg.record(request, 0);
    a.leg.withhold(true, 0);
    a.say(tone(440, 3000));
    b.say(tone(700, 3000));
    a.leg.signalledDigit('4', 100, meeting.nowMs);
    meeting.run(1000);
    const recorded = () => concat(a.events.flatMap((event) => (event.type === 'record_chunk' ? [event.pcm] : [])));
    expect(a.events).toContainEqual({ type: 'digit', digit: '4', durationMs: 100 });
    expect(recorded().length).toBeGreaterThanOrEqual(4000);
    for (const sound of [recorded(), concat(pieces(a, 'l')), decoded(frames(a, 'inbound'))]) {
      expect(sound.every((sample) => sample === 0)).toBe(true);
    }
    expect(amplitudeAt(700, decoded(frames(a, 'outbound')).subarray(-2000))).toBeGreaterThan(9000);
    expect(b.heard().every((sample) => sample === 0)).toBe(true);
    a.leg.withhold(false, meeting.nowMs);
    meeting.run(1000);
    for (const sound of [concat(pieces(a, 'l')), decoded(frames(a, 'inbound')), b.heard()]) {
      expect(amplitudeAt(440, sound.subarray(-2000))).toBeGreaterThan(9000);
    }
    a.leg.stopRecord('r', meeting.nowMs);
    expect(amplitudeAt(440, recorded().subarray(-2000))).toBeGreaterThan(9000);
  });

  it.each([
    ['passed on', (a: Party, b: Party) => [[a, b]]],
    ['mixed', (a: Party, b: Party) => [[a], [b]]],
  ])('gives a stream both tracks in frames of 20 ms, when the other is %s', (_, threads) => {
    const [a, b] = [new Party(1, { codec: 'PCMA' }), new Party(2)];
    const meeting = new Meeting(threads(a, b));
    a.leg.taps.stream({ streamId: 's', tracks: ['inbound', 'outbound'], bidirectional: false });
    a.say(tone(440, 3000));
    b.say(tone(700, 3000));
    meeting.run(1000);
    expect(frames(a, 'inbound')).toHaveLength(50);
    expect(frames(a, 'outbound')).toHaveLength(50);
    expect(frames(a, 'inbound').every(({ length }) => length === 160)).toBe(true);
    expect(amplitudeAt(440, decoded(frames(a, 'inbound')).subarray(-4000))).toBeGreaterThan(9000);
    expect(amplitudeAt(700, decoded(frames(a, 'outbound')).subarray(-4000))).toBeGreaterThan(9000);
    a.leg.taps.stopStream('s');
    meeting.run(200);
    expect(frames(a, 'inbound')).toHaveLength(50);
  });

  it('counts time also before the far side is known', () => {
    const a = new Party(1);
    a.leg.close(0);
    a.leg.taps.detect({ detectId: 'd', timeoutMs: 1000, awaitBeepMs: 0 }, 0);
    expect(a.leg.active).toBe(true);
    for (let nowMs = 0; nowMs < 1500; nowMs += 20) a.leg.tick(nowMs);
    expect(a.events).toEqual([{ type: 'machine_detected', detectId: 'd', result: 'unknown', afterMs: 1000 }]);
    expect(a.leg.active).toBe(false);
  });

  it('answers each detection once: a new one and the end stop it', () => {
    const a = new Party(1);
    const meeting = new Meeting([[a]]);
    a.leg.taps.detect({ detectId: 'd', timeoutMs: 5000, awaitBeepMs: 0 }, 0);
    meeting.run(200);
    a.leg.taps.detect({ detectId: 'e', timeoutMs: 5000, awaitBeepMs: 0 }, 200);
    meeting.run(200);
    a.leg.close(400);
    expect(a.events).toEqual([
      { type: 'machine_detected', detectId: 'd', result: 'stopped', afterMs: 200 },
      { type: 'machine_detected', detectId: 'e', result: 'stopped', afterMs: 200 },
    ]);
  });

  it('detects the beep of a machine', () => {
    const a = new Party(1);
    const meeting = new Meeting([[a]]);
    a.leg.taps.detect({ detectId: 'd', timeoutMs: 5000, awaitBeepMs: 5000 }, 0);
    a.say(tone(1000, 500));
    meeting.run(1500);
    expect(a.events).toMatchObject([{ type: 'machine_detected', detectId: 'd', result: 'beep' }]);
  });

  it('detects in-band DTMF only where telephone events were not negotiated', () => {
    const { telephoneEventPayloadType: _, ...plain } = REMOTE;
    const dialling = new Party(1);
    dialling.leg.connect(plain, 0);
    dialling.leg.output.sendDigits({ sendId: 's', digits: '59#', toneMs: 100, gapMs: 100 });
    new Meeting([[dialling]]).run(1500);
    const tones = concat([dialling.heard(), new Int16Array(800)]);
    const a = new Party(2);
    const meeting = new Meeting([[a]]);
    a.say(tones);
    meeting.run(1500);
    expect(a.events).toEqual([]);
    a.leg.connect({ ...plain, host: '192.0.2.2' }, 0);
    a.say(concat([tones.subarray(0, 800), new Int16Array(800)]));
    meeting.run(1000);
    expect(a.events).toMatchObject([{ type: 'digit', digit: '5' }]);
  });
});

describe('encrypted legs', () => {
  const key = (seed: number) => Uint8Array.from({ length: 30 }, (_, at) => (at * seed) & 0xff);

  it('exchanges audio, and ignores senders without the key', () => {
    const [near, far] = [new Party(1), new Party(1)];
    near.leg.connect({ ...REMOTE, host: '192.0.2.1', srtp: { local: key(3), remote: key(5) } }, 0);
    far.leg.connect({ ...REMOTE, host: '192.0.2.1', srtp: { local: key(5), remote: key(3) } }, 0);
    far.leg.output.play({ playId: 'p', items: items([tone(440, 1000)]), repeat: false });
    new Meeting([[far]]).run(1100);
    near.leg.taps.listen('l', 'inbound');
    const meeting = new Meeting([[near]]);
    for (const packet of far.raw) {
      near.receive(packet);
      near.receive(packet);
      meeting.run(20);
    }
    expect(near.leg.counts).toMatchObject({ received: 50, malformed: 50 });
    expect(amplitudeAt(440, concat(pieces(near, 'l')).subarray(1600, 7200))).toBeGreaterThan(9000);
    near.say(tone(440, 40));
    near.speak();
    expect(near.leg.counts).toMatchObject({ received: 50, malformed: 51 });
    expect(near.leg.quality).toMatchObject({ encrypted: true, packetsReceived: 50, packetsSent: 0, packetsLost: 0 });
  });
});

describe('the quality of a leg', () => {
  it('is unknown without audio', () => {
    expect(new Party(1).leg.quality).toBeUndefined();
  });

  it('reports losses in both directions', () => {
    const a = new Party(1);
    const meeting = new Meeting([[a]]);
    a.leg.output.play({ playId: 'p', items: items([tone(440, 1000)]), repeat: false });
    a.say(tone(440, 1000));
    const { receive } = a;
    let count = 0;
    a.receive = (packet) => {
      if (++count % 10 !== 0) receive.call(a, packet);
    };
    meeting.run(1100);
    expect(a.leg.quality).toMatchObject({ codec: 'PCMU', packetsSent: 50, packetsReceived: 45, packetsLost: 4 });
    expect(a.leg.quality!.mos).toBeLessThan(4);
  });
});
