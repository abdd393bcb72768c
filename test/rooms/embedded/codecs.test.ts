/** Codecs other than VP8: negotiation, forwarding, recording, and reports of unsupported ones. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { codecLines, codecOf, PICTURE_CODECS } from '../../../src/media/rooms/embedded/codecs.ts';
import { parseH264 } from '../../../src/media/rooms/embedded/h264.ts';
import { PublishedSource } from '../../../src/media/rooms/embedded/published-source.ts';
import { SessionRecorder } from '../../../src/media/rooms/embedded/recording/session-recorder.ts';
import { isReceived } from '../../../src/media/rooms/embedded/sdp.ts';
import { parseVp9 } from '../../../src/media/rooms/embedded/vp9.ts';
import type { EngineEvent } from '../../../src/media/rooms/sfu.ts';
import { readRtp } from '../../../src/media/toolbox/rtp/packet.ts';
import { VirtualClock } from '../../../src/proof/testkit/virtual-clock.ts';
import { program } from '../../programs.ts';
import { virtualRoom } from './virtual-room.ts';

const ffmpeg = program('ffmpeg');

function packetOf(payload: Uint8Array, { sequence = 1, timestamp = 1, marker = false, type = 98 } = {}) {
  const bytes = Buffer.concat([Buffer.alloc(12), payload]);
  bytes[0] = 0x80;
  bytes[1] = (marker ? 0x80 : 0) | type;
  bytes.writeUInt16BE(sequence & 0xffff, 2);
  bytes.writeUInt32BE(timestamp >>> 0, 4);
  bytes.writeUInt32BE(5, 8);
  return readRtp(bytes)!;
}

const section = (...lines: string[]): string[] => ['m=video 9 UDP/TLS/RTP/SAVPF 1', ...lines];
const MAIN = 'a=fmtp:98 packetization-mode=1;profile-level-id=4d001f';
const BASELINE = 'a=fmtp:99 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f';

describe('codec of an offer', () => {
  it.each([
    ['VP8, wherever it stands', ['a=rtpmap:98 H264/90000', BASELINE, 'a=rtpmap:100 VP8/90000'], { payloadType: 100 }],
    [
      'VP9 of profile 0',
      ['a=rtpmap:96 VP9/90000', 'a=fmtp:96 profile-id=2', 'a=rtpmap:97 VP9/90000'],
      { payloadType: 97 },
    ],
    [
      'H.264 Baseline with fragments',
      ['a=rtpmap:98 H264/90000', MAIN, 'a=rtpmap:99 H264/90000', BASELINE],
      { payloadType: 99 },
    ],
    ['nothing of AV1 alone', ['a=rtpmap:45 AV1/90000'], undefined],
  ])('selects from the offer %s', (_, lines, expected) => {
    const found = codecOf(section(...lines), PICTURE_CODECS);
    if (expected) expect(found).toMatchObject(expected);
    else expect(found).toBeUndefined();
  });

  it('answers H.264 with the offered parameters', () => {
    const found = codecOf(section('a=rtpmap:99 H264/90000', BASELINE), PICTURE_CODECS)!;
    expect(codecLines(found)).toContain(BASELINE);
  });
});

describe('VP9 payload descriptor', () => {
  it('has the picture id, the layer index, and the size of a key frame', () => {
    // I, L, B and V; a long id of 0x1234; layer 0; TL0PICIDX 7; one layer of 640 × 360.
    const key = packetOf(Buffer.from('aa9234' + '00' + '07' + '1002800168' + 'ff', 'hex'));
    expect(parseVp9(key)).toEqual({
      ...{ isKey: true, isStart: true, length: 10, size: { width: 640, height: 360 } },
      ...{ pictureId: { value: 0x1234, at: 1, isLong: true }, tl0Index: { value: 7, at: 4 } },
    });
  });

  it('is not a key frame if it is predicted, of a higher spatial layer, or not the first packet', () => {
    const keyOf = (hex: string) => parseVp9(packetOf(Buffer.from(hex, 'hex')))?.isKey;
    expect(['e8800100' + '07ff', 'a880010207ff', 'a080010007ff'].map(keyOf)).toEqual([false, false, false]);
  });
});

describe('H.264 in RTP', () => {
  const SPS = Buffer.from('6742c016dc0a02ff970110000003001000000300a0f162f8', 'hex');
  const HIGH = Buffer.from('6764101facb80a00b760220000030002000003001408', 'hex');

  it('reads the frame size from the parameter set, of Baseline and of High', () => {
    expect(parseH264(packetOf(SPS))).toMatchObject({ isKey: true, size: { width: 640, height: 360 } });
    expect(parseH264(packetOf(HIGH))).toMatchObject({ isKey: true, size: { width: 1280, height: 720 } });
  });

  it('finds a key frame in one unit, in an aggregation, and in fragments, at the first one only', () => {
    const together = Buffer.concat([Buffer.from([24, 0, SPS.length]), SPS]);
    const keyOf = (payload: Uint8Array) => parseH264(packetOf(payload))?.isKey;
    expect(keyOf(Buffer.from([0x65, 1]))).toBe(true);
    expect(keyOf(together)).toBe(true);
    expect(keyOf(Buffer.from([0x7c, 0x85, 1]))).toBe(true);
    expect(keyOf(Buffer.from([0x7c, 0x05, 1]))).toBe(false);
    expect(keyOf(Buffer.from([0x61, 1]))).toBe(false);
  });
});

describe('answer of a viewer', () => {
  const answer = (head: string): string => ['v=0', head, 'a=mid:1', 'a=recvonly', ''].join('\r\n');
  it.each([
    ['receives what it lists', 'm=video 9 UDP/TLS/RTP/SAVPF 96 97 98', true],
    ['does not receive what it leaves out', 'm=video 9 UDP/TLS/RTP/SAVPF 96 97', false],
    ['does not receive a rejected line', 'm=video 0 UDP/TLS/RTP/SAVPF 98', false],
  ])('decides on a codec: it %s', (_, head, expected) => {
    expect(isReceived(answer(head), '1', 'VP9')).toBe(expected);
  });
});

describe('blocked sources', () => {
  const offer = (video: string[]): string =>
    [
      ...['v=0', 'a=ice-ufrag:user', `a=ice-pwd:${'p'.repeat(24)}`, 'a=fingerprint:sha-256 AA:BB', 'a=setup:actpass'],
      ...['m=audio 9 UDP/TLS/RTP/SAVPF 0', 'a=mid:0', 'a=sendonly', 'a=rtpmap:0 PCMU/8000'],
      ...['m=video 9 UDP/TLS/RTP/SAVPF 98', 'a=mid:1', 'a=sendonly', ...video, ''],
    ].join('\r\n');
  const say = (room: ReturnType<typeof virtualRoom>, sdp: string) =>
    room.send({
      ...{ type: 'negotiate', participant: 'ada' },
      message: { type: 'pub.offer', sdp, sources: { 0: 'audio', 1: 'video', 2: 'screen' } },
    });
  const blockedIn = (events: readonly EngineEvent[]) => events.filter(({ type }) => type === 'blocked');

  it('are reported with the reason, once, and again when they are forwarded', async () => {
    const room = virtualRoom();
    room.enter('ada');
    say(room, offer(['a=rtpmap:98 AV1/90000']));
    say(room, offer(['a=rtpmap:98 AV1/90000']));
    await room.clock.advance(10);
    const about = { type: 'blocked', participant: 'ada', direction: 'send' };
    const sources = [
      { source: 'audio', reason: 'no_codec' },
      { source: 'video', reason: 'no_codec' },
      { source: 'screen', reason: 'not_offered' },
    ];
    expect(blockedIn(room.events)).toEqual([{ ...about, sources }]);
    say(room, offer(['a=rtpmap:98 VP9/90000']));
    await room.clock.advance(10);
    expect(blockedIn(room.events).at(-1)).toEqual({ ...about, sources: [sources[0], sources[2]] });
    expect(room.events).toContainEqual({ type: 'published', participant: 'ada', source: 'video', on: true });
  });

  it('are an error for the client if its offer cannot be read', async () => {
    const room = virtualRoom();
    room.enter('ada');
    say(room, 'nonsense');
    await room.clock.advance(10);
    expect(room.events).toContainEqual({
      ...{ type: 'negotiate', participant: 'ada' },
      message: {
        ...{ type: 'error', code: 'bad_description', about: 'pub.offer' },
        message: 'the offer has no ICE and DTLS parameters',
      },
    });
  });
});

/** Pictures of a test card as ffmpeg encodes them, as units without start codes. */
function encodedUnits(): Buffer[] {
  const source = ['-f', 'lavfi', '-i', 'testsrc=s=320x180:r=10', '-frames:v', '20', '-pix_fmt', 'yuv420p'];
  const codec = ['-c:v', 'libx264', '-profile:v', 'baseline', '-bf', '0', '-threads', '1', '-x264-params', 'slices=1'];
  const { stdout } = spawnSync('ffmpeg', ['-v', 'error', ...source, ...codec, '-f', 'h264', '-'], {
    maxBuffer: 2 ** 24,
  });
  const hex = stdout.toString('hex').replaceAll(/00000001|000001(?=(?:..)*$)/g, '|');
  return hex.split('|').flatMap((each) => (each === '' ? [] : [Buffer.from(each, 'hex')]));
}

/** Packets of a unit: whole, or in parts (FU-A). */
function payloadsOf(unit: Buffer): Buffer[] {
  if (unit.length <= 1000) return [unit];
  const parts: Buffer[] = [];
  for (let at = 1; at < unit.length; at += 1000) {
    const flags = (at === 1 ? 0x80 : 0) | (at + 1000 >= unit.length ? 0x40 : 0);
    const head = Buffer.from([(unit[0]! & 0xe0) | 28, flags | (unit[0]! & 0x1f)]);
    parts.push(Buffer.concat([head, unit.subarray(at, at + 1000)]));
  }
  return parts;
}

describe('recording of H.264', () => {
  it.skipIf(ffmpeg.missing)(`is a Matroska file that ffmpeg decodes${ffmpeg.why}`, async () => {
    const clock = new VirtualClock();
    const directory = mkdtempSync(join(tmpdir(), 'callweave-h264-'));
    const events: EngineEvent[] = [];
    const recorder = new SessionRecorder({ clock, directory, report: (event) => void events.push(event) });
    recorder.set({ on: true, sources: { ada: ['video'] } });
    const source = new PublishedSource({
      ...{ owner: 'ada', name: 'video', clock, quality: 'HD', send: () => undefined },
      media: {
        ...{ mid: '1', payloadType: 99, rids: [], ssrcs: [5], takesLoneFeedback: true },
        codec: { codec: 'H264', payloadType: 99 },
      },
    });
    recorder.published(source);
    let [sequence, picture] = [65_530, 0];
    for (const unit of encodedUnits()) {
      const isPicture = [1, 5].includes(unit[0]! & 0x1f);
      const payloads = payloadsOf(unit);
      for (const [index, payload] of payloads.entries()) {
        const marker = isPicture && index === payloads.length - 1;
        const packet = packetOf(payload, { sequence: sequence++, timestamp: picture * 9000, marker, type: 99 });
        source.onRtp(packet, source.streams[0] ?? source.open(packet)!);
      }
      if (!isPicture) continue;
      picture++;
      await clock.advance(100);
    }
    recorder.unpublished(source);
    await recorder.stop();
    const recorded = events.find((event) => event.type === 'recorded');
    expect(recorded?.file).toMatch(/\.mkv$/);
    const probe = ['-v', 'error', '-count_frames', '-show_entries', 'stream=codec_name,width,height,nb_read_frames'];
    const { stdout, stderr } = spawnSync('ffprobe', [...probe, '-of', 'csv=p=0', join(directory, recorded!.file)]);
    expect([String(stdout).trim(), String(stderr)]).toEqual(['h264,320,180,20', '']);
  });
});
