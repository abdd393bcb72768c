/**
 * RTP and SDP of the embedded engine, and sequence numbers for subscribers; malformed input has no effect on
 * others.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IncomingStream, type KeptPacket } from '../../../src/media/rooms/embedded/incoming-stream.ts';
import { parseOffer } from '../../../src/media/rooms/embedded/offered-media.ts';
import { OutgoingStream } from '../../../src/media/rooms/embedded/outgoing-stream.ts';
import { answerTo, offerOf } from '../../../src/media/rooms/embedded/sdp.ts';
import { parseVp8 } from '../../../src/media/rooms/embedded/vp8.ts';
import { readRtp } from '../../../src/media/toolbox/rtp/packet.ts';
import { rtcpParts } from '../../../src/media/toolbox/rtp/rtcp.ts';
import { readNack } from '../../../src/media/toolbox/rtp/rtcp-feedback.ts';
import { iceOf } from '../../../src/media/toolbox/sdp/ice.ts';
import { TalkDetector } from '../../../src/media/toolbox/voice/talk-detector.ts';
import { VirtualClock } from '../../../src/proof/testkit/virtual-clock.ts';

const SSRC = 77;

/** A picture in one packet: 15-bit picture id, tl0 index; or the rest of one. */
function picture({ sequence, timestamp = 0, id = 0, tl0 = 0, key = false }: Record<string, number | boolean>) {
  const bytes = Buffer.alloc(24);
  bytes[0] = 0x80;
  bytes[1] = 0x80 | 96;
  bytes.writeUInt16BE(Number(sequence), 2);
  bytes.writeUInt32BE(Number(timestamp), 4);
  bytes.writeUInt32BE(SSRC, 8);
  bytes.set([0x90, 0xc0], 12);
  bytes.writeUInt16BE(0x8000 | Number(id), 14);
  bytes[16] = Number(tl0);
  bytes[17] = key ? 0 : 1;
  return bytes;
}

const first = (bytes: Buffer) => rtcpParts(bytes)[0]!;

describe('RTP', () => {
  it('reads level, mid and rid from one-byte and two-byte extensions', () => {
    const short = Buffer.from(
      '906f000100000002000000' + '4d' + 'bede0002' + '1085' + '2030' + '3068' + '0000' + 'aabb',
      'hex',
    );
    const names = { 1: 'level', 2: 'mid', 3: 'rid' } as const;
    const packet = readRtp(short, names)!;
    expect(packet).toMatchObject({
      payloadType: 111,
      sequence: 1,
      timestamp: 2,
      level: -5,
      mid: '0',
      rid: 'h',
      payloadStart: 24,
    });
    const long = Buffer.from('906f0001000000020000004d' + '10000001' + '01018500' + 'aabb', 'hex');
    expect(readRtp(long, names)).toMatchObject({ level: -5, payloadStart: 20, payloadEnd: 22 });
  });

  it('reads picture id, tl0 index and key frame flag of VP8', () => {
    const packet = readRtp(picture({ sequence: 1, id: 300, tl0: 9, key: true }))!;
    expect(parseVp8(packet)).toEqual({
      isKey: true,
      isStart: true,
      length: 5,
      pictureId: { value: 300, at: 2, isLong: true },
      tl0Index: { value: 9, at: 4 },
    });
    expect(parseVp8(readRtp(picture({ sequence: 1 }))!)?.isKey).toBe(false);
  });

  it('accepts arbitrary bytes without an exception', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => {
        const packet = readRtp(Buffer.from(bytes), { 1: 'level', 2: 'mid' });
        if (packet) parseVp8(packet);
      }),
    );
  });
});

describe('a subscriber', () => {
  function rig() {
    const clock = new VirtualClock();
    const stream = (rid: string) => new IncomingStream({ ssrc: SSRC, rid, kind: 'video', clock });
    const [high, low] = [stream('h'), stream('l')];
    let best = high;
    let keysAsked = 0;
    const sent: Buffer[] = [];
    const send = (bytes: Buffer): void => void sent.push(Buffer.from(bytes));
    const outgoing = new OutgoingStream({
      ...{ ssrc: 9, paddingSsrc: 10 },
      source: { kind: 'video', codec: 'VP8', streamFor: () => best, requestKeyFrame: () => void keysAsked++ },
      sink: { isOpen: true, send, sendPicture: send, sendAgain: send },
      clock,
      start: { sequence: 65_530, timestamp: 1000 },
    });
    return {
      ...{ high, low, outgoing, clock },
      keysAsked: () => keysAsked,
      want(stream: IncomingStream) {
        best = stream;
        outgoing.choose();
      },
      give(stream: IncomingStream, order: Parameters<typeof picture>[0]) {
        const packet = readRtp(picture(order))!;
        const kept: KeptPacket = { ...packet, picture: parseVp8(packet)!, atMs: clock.monotonicMs() };
        if (stream.accept(kept)) outgoing.forward(kept, stream);
      },
      got: () =>
        sent
          .map((bytes) => readRtp(bytes))
          .filter((packet) => packet?.payloadType === 96)
          .map((packet) => ({ ...packet!, ...parseVp8(packet!) }))
          .map(({ sequence, timestamp, pictureId, tl0Index }) => [
            sequence,
            timestamp,
            pictureId?.value,
            tl0Index?.value,
          ]),
    };
  }

  it('gets no video before a key frame, and requests one', () => {
    const { give, high, got, keysAsked } = rig();
    give(high, { sequence: 10 });
    expect([got(), keysAsked() > 0]).toEqual([[], true]);
    give(high, { sequence: 11, key: true });
    expect(got()).toHaveLength(1);
  });

  it('gets continuous sequence numbers across a change of layer, which waits for a key frame', async () => {
    const { give, high, low, got, want, clock } = rig();
    give(high, { sequence: 500, timestamp: 90_000, id: 50, tl0: 5, key: true });
    give(high, { sequence: 501, timestamp: 93_000, id: 51, tl0: 6 });
    want(low);
    give(low, { sequence: 7, timestamp: 5, id: 900, tl0: 200 });
    give(high, { sequence: 502, timestamp: 96_000, id: 52, tl0: 7 });
    await clock.advance(40);
    give(low, { sequence: 8, timestamp: 9000, id: 901, tl0: 201, key: true });
    give(low, { sequence: 9, timestamp: 12_000, id: 902, tl0: 202 });
    expect(got()).toEqual([
      [65_531, 4000, 1, 1],
      [65_532, 7000, 2, 2],
      [65_533, 10_000, 3, 3],
      [65_534, 13_600, 4, 4],
      [65_535, 16_600, 5, 5],
    ]);
  });

  it('gets continuous sequence numbers across a pause, and nothing during it', () => {
    const { give, high, got, outgoing } = rig();
    give(high, { sequence: 1, timestamp: 3000, key: true });
    outgoing.setTargetLayer('off');
    for (const sequence of [2, 3, 4]) give(high, { sequence, timestamp: sequence * 3000 });
    outgoing.setTargetLayer('HD');
    give(high, { sequence: 5, timestamp: 15_000 });
    give(high, { sequence: 6, timestamp: 18_000, key: true });
    expect(got().map(([sequence, timestamp]) => [sequence, timestamp])).toEqual([
      [65_531, 4000],
      [65_532, 19_000],
    ]);
  });

  it('gets lost packets again with their numbers; upstream losses stay gaps', () => {
    const { give, high, got, outgoing } = rig();
    give(high, { sequence: 100, key: true });
    give(high, { sequence: 102, timestamp: 6000, id: 2 });
    give(high, { sequence: 101, timestamp: 3000, id: 1 });
    outgoing.resend([65_533, 12]);
    expect(got().map(([sequence]) => sequence)).toEqual([65_531, 65_533, 65_532, 65_533]);
    expect(got()[3]).toEqual(got()[1]);
  });
});

describe('missing packets', () => {
  function rig() {
    const clock = new VirtualClock();
    const stream = new IncomingStream({ ssrc: SSRC, rid: undefined, kind: 'video', clock });
    const asked: { atMs: number; sequences: number[] }[] = [];
    const beganMs = clock.monotonicMs();
    let stale = 0;
    const ask = () => {
      if (stream.askMissing((bytes) => void asked.push({ atMs: now(), sequences: readNack(first(bytes))!.sequences })))
        stale++;
    };
    const now = () => clock.monotonicMs() - beganMs;
    return {
      ...{ clock, stream, asked },
      stale: () => stale,
      take: (sequence: number) => stream.accept({ ...readRtp(picture({ sequence }))!, atMs: clock.monotonicMs() }),
      /** As often as the engine does. */
      async pass(ms: number) {
        for (let passed = 0; passed < ms; passed += 20) {
          await clock.advance(20);
          ask();
        }
      },
    };
  }

  it('are requested after a moment, again and again, and abandoned; a key frame is requested earlier', async () => {
    const { take, pass, asked, stale, stream } = rig();
    take(1);
    take(4);
    await pass(20);
    expect(asked.map(({ sequences }) => sequences)).toEqual([[2, 3]]);
    expect([take(3), take(3)]).toEqual([true, false]);
    await pass(300);
    expect(stale()).toBe(0);
    await pass(200);
    expect(stale()).toBe(1);
    await pass(1500);
    expect([stale(), stream.hasHoles]).toEqual([1, false]);
    expect(asked.slice(1).every(({ sequences }) => sequences.join() === '2')).toBe(true);
    expect(asked.length).toBeGreaterThan(6);
  });

  it('are requested later if packets arrive reordered', async () => {
    const { take, pass, asked, clock } = rig();
    // Pairs of packets in reverse order, 30 ms apart.
    for (let sequence = 1; sequence < 40; sequence += 2) {
      take(sequence + 1);
      await clock.advance(30);
      take(sequence);
    }
    const before = asked.length;
    take(43);
    await pass(30);
    expect(asked.length).toBe(before);
    await pass(30);
    expect(asked.length).toBe(before + 1);
  });

  it('are requested three times while an answer is in flight, however distant the sender is', async () => {
    const { take, pass, asked } = rig();
    take(1);
    for (let sequence = 3; sequence < 60; sequence += 2) {
      take(sequence);
      await pass(200);
      take(sequence - 1);
    }
    asked.length = 0;
    take(62);
    await pass(1000);
    const gaps = asked.slice(1).map(({ atMs }, index) => atMs - asked[index]!.atMs);
    expect(Math.min(...gaps)).toBeGreaterThan(50);
    expect(Math.max(...gaps)).toBeLessThan(120);
  });
});

describe('the retransmission buffer', () => {
  /** Returns the packets kept after ten seconds, one sent each `everyMs`; the sequence numbers wrap around. */
  async function keptOf(kind: 'audio' | 'video', everyMs: number) {
    const clock = new VirtualClock();
    const stream = new IncomingStream({ ssrc: SSRC, rid: undefined, kind, clock });
    const count = 10_000 / everyMs;
    const sequences = Array.from({ length: count }, (_, index) => (65_536 - 20 + index) & 0xffff);
    for (const sequence of sequences) {
      stream.accept({ ...readRtp(picture({ sequence }))!, atMs: clock.monotonicMs() });
      await clock.advance(everyMs);
    }
    return sequences.map((sequence, index) => (stream.kept(sequence) ? index : -1)).filter((index) => index >= 0);
  }

  it.each([
    ['a second of sound', 'audio', 20, 51],
    ['two seconds of pictures', 'video', 10, 201],
    ['so many of pictures that come faster', 'video', 2, 512],
  ] as const)('keeps the latest packets: %s', async (_, kind, everyMs, most) => {
    const count = 10_000 / everyMs;
    const latest = Array.from({ length: most }, (_each, index) => count - most + index);
    expect(await keptOf(kind, everyMs)).toEqual(latest);
  });
});

describe('SDP', () => {
  const ice = { ufrag: 'u', password: 'p'.repeat(22), fingerprint: 'sha-256 AA:BB', setup: 'actpass' };
  const offered = [
    'v=0',
    'm=audio 9 UDP/TLS/RTP/SAVPF 111 0',
    ...['a=mid:0', 'a=sendonly', 'a=rtpmap:111 opus/48000/2', 'a=extmap:4 urn:ietf:params:rtp-hdrext:ssrc-audio-level'],
    ...[
      'a=ice-ufrag:u',
      `a=ice-pwd:${ice.password}`,
      'a=fingerprint:sha-256 AA:BB',
      'a=setup:actpass',
      'a=ssrc:5 cname:x',
    ],
    'm=video 9 UDP/TLS/RTP/SAVPF 96',
    ...[
      'a=mid:1',
      'a=sendonly',
      'a=rtcp-rsize',
      'a=rtpmap:96 VP8/90000',
      'a=rid:h send',
      'a=rid:l send',
      'a=simulcast:send h;l',
    ],
    'm=video 9 UDP/TLS/RTP/SAVPF 98',
    ...['a=mid:2', 'a=sendonly', 'a=rtpmap:98 H264/90000', ''],
  ].join('\r\n');

  it('reads the sent media of an offer, and marks lines without a supported codec as off', () => {
    expect(iceOf(offered)).toEqual(ice);
    expect(parseOffer(offered)).toMatchObject([
      {
        kind: 'audio',
        mid: '0',
        payloadType: 111,
        extensions: { 4: 'level' },
        ssrcs: [5],
        takesLoneFeedback: false,
        isOff: false,
      },
      { kind: 'video', mid: '1', payloadType: 96, rids: ['h', 'l'], takesLoneFeedback: true, isOff: false },
      { kind: 'video', mid: '2', payloadType: -1, isOff: true },
    ]);
  });

  it('answers every line of the offer, and accepts the permitted ones', () => {
    const media = parseOffer(offered);
    const answer = answerTo(media, { ice, setup: 'active', candidates: ['candidate:1'] }, 1, ({ mid }) => mid === '1');
    expect(answer.match(/^m=.*$/gm)).toEqual([
      'm=audio 0 UDP/TLS/RTP/SAVPF 111',
      'm=video 9 UDP/TLS/RTP/SAVPF 96',
      'm=video 0 UDP/TLS/RTP/SAVPF 0',
    ]);
    expect(answer).toContain('a=group:BUNDLE 1\r\n');
    expect(answer).toContain('a=simulcast:recv h;l');
  });

  it('keeps unused lines in an offer to a subscriber', () => {
    const stream = { ssrc: 5, paddingSsrc: 6, streamId: 'ada', trackId: 't', codec: 'VP8' as const };
    const lines = [
      { mid: '0', kind: 'audio' as const },
      { mid: '1', kind: 'video' as const, stream },
    ];
    const offer = offerOf(lines, { ice, setup: 'actpass', candidates: [] }, 2);
    expect(offer.match(/^a=(inactive|sendonly|ssrc:.*)$/gm)).toEqual([
      'a=inactive',
      'a=sendonly',
      'a=ssrc:5 cname:ada',
      'a=ssrc:6 cname:ada',
    ]);
  });

  it('is rejected if it is malformed, and injects no line into the answer', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 300 }), (text) => {
        expect(iceOf(text)).toBeUndefined();
        const media = parseOffer(`v=0\r\nm=video 9 x 96\r\n${text}`);
        const answer = answerTo(media, { ice, setup: 'active', candidates: [] }, 1, () => false);
        expect(answer.split('\r\n').filter((line) => line.startsWith('m='))).toHaveLength(media.length);
      }),
    );
  });
});

describe('voice activity', () => {
  it('starts after 200 ms of loud audio, and ends after 600 ms of silence', () => {
    const detector = new TalkDetector();
    const window = (level: number) => {
      detector.add(level);
      return detector.next();
    };
    expect([-20, -20].map(window)).toEqual([false, true]);
    expect([-60, -60, -60, -60, -20, -60, -60, -60, -60, -60].map(window).includes(true)).toBe(false);
    expect([window(-60), detector.isTalking]).toEqual([true, false]);
  });
});
