/** The whole of media over loopback: real sockets, a real thread, real time. */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import wavefile from 'wavefile';
import { silentLog } from '../../src/base/core/silent-log.ts';
import type { AudioSource } from '../../src/media/telephony/audio.ts';
import { encodeG711 } from '../../src/media/telephony/media/g711.ts';
import { createMedia } from '../../src/media/telephony/media/media.ts';
import type { G711Codec, MediaEvent, MediaPort, MediaRemote } from '../../src/media/telephony/media/media-port.ts';
import { decodeTable } from '../../src/media/toolbox/audio/g711.ts';
import { type RtpPacket, readRtp } from '../../src/media/toolbox/rtp/packet.ts';
import { countedIn, countOf, readFigure } from '../figures.ts';
import { amplitudeAt } from '../speech/sounds.ts';
import { eventPayload, packetOf, REMOTE, tone } from './rig.ts';

const HOST = '127.0.0.61';
const PEER_HOST = '127.0.0.62';

/** Serves the requested tones and nothing else. */
const audio: AudioSource = {
  load: async (item) => {
    if (item.type !== 'tone') throw new Error('no such sound');
    return tone(item.frequencyHz, item.durationMs);
  },
  durationMs: () => 0,
};

/** Records events and lets a test wait for them. */
class Events {
  readonly all: MediaEvent[] = [];
  readonly #waiting: (() => void)[] = [];
  readonly take = (event: MediaEvent): void => {
    this.all.push(event);
    for (const wake of this.#waiting.splice(0)) wake();
  };

  async until<T extends MediaEvent['type']>(type: T, count = 1): Promise<Extract<MediaEvent, { type: T }>> {
    for (;;) {
      const found = this.all.filter((event) => event.type === type);
      if (found.length >= count) return found[count - 1] as Extract<MediaEvent, { type: T }>;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  types(): string[] {
    return this.all.map(({ type }) => type);
  }
}

describe.each(['auto', 'node'] as const)('media with sockets `%s`', (sockets) => {
  let media: MediaPort;
  let folder: string;
  let peer: Socket;
  let peerAddress: { host: string; port: number };
  let packets: (RtpPacket & { payload: Buffer; fromPort: number })[];
  let serial = 0;

  beforeAll(async () => {
    media = createMedia({ sockets, host: HOST, portRange: [23_000, 23_099], threads: 2, audio, log: silentLog });
    await media.start();
    folder = await mkdtemp(join(tmpdir(), 'media-'));
  });
  afterAll(async () => {
    await media.stop();
    await rm(folder, { recursive: true });
  });
  beforeEach(async () => {
    packets = [];
    peer = createSocket('udp4', (bytes, from) => {
      const rtp = readRtp(bytes)!;
      packets.push({ ...rtp, payload: bytes.subarray(rtp.payloadStart, rtp.payloadEnd), fromPort: from.port });
    });
    peer.bind(0, PEER_HOST);
    await once(peer, 'listening');
    peerAddress = { host: PEER_HOST, port: peer.address().port };
  });
  afterEach(() => {
    peer.close();
  });

  async function openLeg(near?: string) {
    const mediaId = `m-${serial++}`;
    const events = new Events();
    const address = await media.open({ mediaId, onEvent: events.take, ...(near ? { near } : {}) });
    return { mediaId, events, address };
  }

  const connect = (mediaId: string, remote: Partial<MediaRemote>): void =>
    media.send(mediaId, { type: 'connect', remote: { ...REMOTE, ...peerAddress, ...remote } });

  /** A phone: sends audio until it is closed, and detects tones. */
  async function phone() {
    let heard: { at: number; samples: number[] }[] = [];
    let wake = (): void => {};
    const socket = createSocket('udp4', (bytes) => {
      const rtp = readRtp(bytes);
      if (!rtp) return;
      const table = decodeTable(rtp.payloadType === 8 ? 'PCMA' : 'PCMU');
      const samples = [...bytes.subarray(rtp.payloadStart, rtp.payloadEnd)].map((byte) => table[byte]!);
      heard = [...heard.slice(-9), { at: rtp.timestamp, samples }];
      wake();
    });
    socket.bind(0, PEER_HOST);
    await once(socket, 'listening');
    let talking: NodeJS.Timeout | undefined;
    return {
      address: { host: PEER_HOST, port: socket.address().port },
      talk(to: { host: string; port: number }, codec: G711Codec, frequencyHz: number): void {
        const bytes = encodeG711(tone(frequencyHz, 1000), codec);
        let sequence = 0;
        talking = setInterval(() => {
          const payload = bytes.subarray((sequence % 50) * 160, (sequence % 50) * 160 + 160);
          const header = { payloadType: codec === 'PCMA' ? 8 : 0, sequence, timestamp: sequence * 160 };
          socket.send(packetOf(header, payload), to.port, to.host);
          sequence++;
        }, 20);
      },
      /** Waits for 200 ms with the first tone and without the second. */
      async hears(frequencyHz: number, notHz?: number): Promise<void> {
        heard = [];
        for (;;) {
          const samples = heard.flatMap((packet) => packet.samples);
          const wanted = heard.length === 10 && amplitudeAt(frequencyHz, samples) > 5000;
          if (wanted && (notHz === undefined || amplitudeAt(notHz, samples) < 500)) return;
          await new Promise<void>((resolve) => {
            const before = wake;
            wake = () => {
              before();
              resolve();
            };
          });
        }
      },
      close(): void {
        clearInterval(talking);
        socket.close();
      },
    };
  }

  const beep = (durationMs: number, frequencyHz = 440) => [{ type: 'tone' as const, frequencyHz, durationMs }];

  async function close(leg: { mediaId: string; events: Events }): Promise<void> {
    media.send(leg.mediaId, { type: 'close' });
    await leg.events.until('closed');
  }

  describe('a leg over loopback', () => {
    it.each(['PCMU', 'PCMA'] as const)('plays a tone in %s that the far side hears without a seam', async (codec) => {
      const leg = await openLeg();
      const payloadType = codec === 'PCMU' ? 0 : 8;
      connect(leg.mediaId, { codec, payloadType });
      media.send(leg.mediaId, { type: 'play', playId: 'p', audio: [...beep(210), ...beep(300)], repeat: false });
      expect(await leg.events.until('play_ended')).toEqual({
        type: 'play_ended',
        playId: 'p',
        reason: 'finished',
        playedMs: 510,
      });
      await close(leg);

      expect(packets).toHaveLength(26);
      const [first] = packets;
      for (const [index, packet] of packets.entries()) {
        expect(packet).toMatchObject({
          payloadType,
          marker: index === 0,
          ssrc: first!.ssrc,
          sequence: (first!.sequence + index) & 0xffff,
          timestamp: (first!.timestamp + 160 * index) >>> 0,
          fromPort: leg.address.port,
        });
      }
      const table = decodeTable(codec);
      const samples = packets.flatMap((packet) => [...packet.payload].map((byte) => table[byte]!));
      expect(amplitudeAt(440, samples.slice(0, 1600))).toBeGreaterThan(9500);
      expect(amplitudeAt(440, samples.slice(1680, 4080))).toBeGreaterThan(9500);
      expect(amplitudeAt(700, samples)).toBeLessThan(200);
    });

    it('records what another leg plays, and both receive the digits of the other', async () => {
      const [here, there] = [await openLeg(), await openLeg()];
      connect(here.mediaId, there.address);
      connect(there.mediaId, here.address);
      const file = join(folder, 'calls/today/tone.wav');
      media.send(there.mediaId, {
        type: 'record',
        recordId: 'r',
        file,
        maxLengthMs: 9000,
        endSilenceMs: 300,
        terminators: '',
        dual: false,
        background: false,
      });
      media.send(here.mediaId, { type: 'play', playId: 'p', audio: beep(600), repeat: false });
      const recorded = await there.events.until('record_ended');
      expect(recorded).toMatchObject({ recordId: 'r', reason: 'end_silence', file });
      expect(recorded.speechMs).toBeGreaterThanOrEqual(560);
      expect(recorded.speechMs).toBeLessThanOrEqual(640);

      const wav = new wavefile.WaveFile(await readFile(file));
      const samples = Int16Array.from(wav.getSamples(false, Int16Array) as unknown as Int16Array);
      expect(samples.length).toBe(recorded.durationMs * 8);
      const start = samples.findIndex((sample) => Math.abs(sample) > 1000);
      expect(amplitudeAt(440, samples.subarray(start, start + 4000))).toBeGreaterThan(8000);

      media.send(here.mediaId, { type: 'send_digits', sendId: 'h', digits: '1#', toneMs: 80, gapMs: 60 });
      media.send(there.mediaId, { type: 'send_digits', sendId: 't', digits: '99', toneMs: 80, gapMs: 60 });
      await Promise.all([there.events.until('digit', 2), here.events.until('digit', 2)]);
      await Promise.all([here.events.until('digits_sent'), there.events.until('digits_sent')]);
      const digits = (events: Events) =>
        events.all.filter((event) => event.type === 'digit').map((event) => event.digit);
      expect(digits(there.events)).toEqual(['1', '#']);
      expect(digits(here.events)).toEqual(['9', '9']);
      await Promise.all([close(here), close(there)]);
    });

    it('ends with every answer before `closed`, and nothing after it', async () => {
      const leg = await openLeg();
      connect(leg.mediaId, {});
      media.send(leg.mediaId, { type: 'play', playId: 'p', audio: beep(60_000), repeat: true });
      media.send(leg.mediaId, {
        type: 'record',
        recordId: 'r',
        file: join(folder, 'hangup.wav'),
        maxLengthMs: 60_000,
        endSilenceMs: 0,
        terminators: '',
        dual: false,
        background: false,
      });
      media.send(leg.mediaId, { type: 'send_digits', sendId: 's', digits: '123456789', toneMs: 1000, gapMs: 1000 });
      await once(peer, 'message');
      await close(leg);
      expect(leg.events.types().toSorted()).toEqual(['closed', 'digits_sent', 'play_ended', 'record_ended']);
      expect(leg.events.types().at(-1)).toBe('closed');
      expect(leg.events.all).toContainEqual(expect.objectContaining({ type: 'record_ended', reason: 'hangup' }));
      media.send(leg.mediaId, { type: 'play', playId: 'q', audio: beep(20), repeat: false });
      media.send(leg.mediaId, { type: 'close' });
      const next = await openLeg();
      await close(next);
      expect(leg.events.types()).toHaveLength(4);
    });

    it('ignores foreign packets and malformed ones', async () => {
      const leg = await openLeg();
      connect(leg.mediaId, {});
      const stranger = createSocket('udp4');
      stranger.bind(0, '127.0.0.63');
      await once(stranger, 'listening');
      const { host, port } = leg.address;
      const press = (digit: number, timestamp: number) =>
        packetOf({ payloadType: 101, timestamp }, eventPayload(digit, 800, true));
      for (const junk of [Buffer.alloc(0), Buffer.alloc(1400, 0xff), Buffer.from('INVITE sip:x SIP/2.0')]) {
        stranger.send(junk, port, host);
        peer.send(junk, port, host);
      }
      stranger.send(press(6, 1000), port, host);
      peer.send(press(7, 2000), port, host);
      expect(await leg.events.until('digit')).toMatchObject({ digit: '7', durationMs: 100 });
      stranger.close();
      await close(leg);
      expect(leg.events.types()).toEqual(['digit', 'closed']);
    });

    it('reports a digit that arrived before `connect`', async () => {
      const leg = await openLeg();
      const { host, port } = leg.address;
      const key = packetOf({ payloadType: 101 }, eventPayload(5, 800, true));
      await new Promise((sent) => peer.send(key, port, host, sent));
      connect(leg.mediaId, {});
      expect(await leg.events.until('digit')).toMatchObject({ digit: '5', durationMs: 100 });
      await close(leg);
    });

    it('reports a digit whose end packets were all lost', async () => {
      const leg = await openLeg();
      connect(leg.mediaId, {});
      peer.send(packetOf({ payloadType: 101 }, eventPayload(4, 400)), leg.address.port, leg.address.host);
      expect(await leg.events.until('digit')).toMatchObject({ digit: '4', durationMs: 50 });
      await close(leg);
    });

    it('allows closing while it is being opened', async () => {
      const events = new Events();
      const opening = media.open({ mediaId: 'hasty', onEvent: events.take });
      media.send('hasty', { type: 'close' });
      await opening;
      await events.until('closed');
      expect(events.types()).toEqual(['closed']);
    });

    it('reports a recording that cannot be written', async () => {
      const leg = await openLeg();
      media.send(leg.mediaId, {
        type: 'record',
        recordId: 'r',
        file: '/dev/null/no/such.wav',
        maxLengthMs: 60_000,
        endSilenceMs: 0,
        terminators: '',
        dual: false,
        background: false,
      });
      expect(await leg.events.until('record_ended')).toMatchObject({
        reason: 'failed',
        fault: { code: 'record_failed' },
      });
      await close(leg);
    });

    it('reports when nothing is received', async () => {
      const leg = await openLeg();
      connect(leg.mediaId, {});
      media.send(leg.mediaId, {
        type: 'play',
        playId: 'p',
        audio: [{ type: 'file', file: 'missing.wav' }],
        repeat: false,
      });
      expect(await leg.events.until('play_ended')).toMatchObject({ reason: 'failed', fault: { code: 'audio_failed' } });
      await close(leg);
    });

    it('sends nothing to a far side of another address family', async () => {
      const leg = await openLeg();
      for (const host of ['phone.example', '::1', '', '127.0.0.1:5']) connect(leg.mediaId, { host });
      connect(leg.mediaId, { port: 0 });
      media.send(leg.mediaId, { type: 'play', playId: 'p', audio: beep(20), repeat: false });
      await close(leg);
      expect(leg.events.all).toMatchObject([{ type: 'play_ended', reason: 'stopped' }, { type: 'closed' }]);
    });
  });

  describe('mixed legs over loopback', () => {
    it.each([
      ['in one thread', true],
      ['in two threads', false],
    ])(
      'exchanges audio %s, with different codecs; a third hears both',
      async (_, near) => {
        const first = await openLeg();
        const second = await openLeg(near ? first.mediaId : undefined);
        const third = await openLeg();
        const [one, two, three] = [await phone(), await phone(), await phone()];
        connect(first.mediaId, one.address);
        connect(second.mediaId, { ...two.address, codec: 'PCMA', payloadType: 8 });
        connect(third.mediaId, three.address);
        media.send(first.mediaId, { type: 'join', mixId: 'mix' });
        media.send(second.mediaId, { type: 'join', mixId: 'mix' });
        one.talk(first.address, 'PCMU', 440);
        two.talk(second.address, 'PCMA', 700);
        await Promise.all([one.hears(700), two.hears(440)]);
        media.send(third.mediaId, { type: 'join', mixId: 'mix' });
        await Promise.all([three.hears(440), three.hears(700), one.hears(700)]);
        media.send(second.mediaId, { type: 'leave' });
        await three.hears(440, 700);
        for (const each of [one, two, three]) each.close();
        await Promise.all([first, second, third].map(close));
        expect(first.events.all.at(-1)).toMatchObject({ type: 'closed', quality: { codec: 'PCMU' } });
        expect(second.events.all.at(-1)).toMatchObject({ type: 'closed', quality: { codec: 'PCMA' } });
      },
      20_000,
    );

    it('answers each command once, also unsupported ones', async () => {
      const leg = await openLeg();
      connect(leg.mediaId, {});
      const { mediaId } = leg;
      const record = { maxLengthMs: 60_000, endSilenceMs: 0, terminators: '', dual: true };
      media.send(mediaId, { type: 'play', playId: 'p', audio: beep(60_000), repeat: true });
      media.send(mediaId, { type: 'record', ...record, recordId: 'f', file: join(folder, 'f.wav'), background: false });
      media.send(mediaId, { type: 'record', ...record, recordId: 'b', file: join(folder, 'b.wav'), background: true });
      media.send(mediaId, {
        type: 'stream',
        streamId: 's',
        url: 'ws://127.0.0.67:9/',
        tracks: ['inbound'],
        bidirectional: true,
        start: {},
      });
      media.send(mediaId, {
        type: 'stream',
        streamId: 'x',
        url: 'no address',
        tracks: ['inbound'],
        bidirectional: true,
        start: {},
      });
      const listen = { language: 'en', hints: [], minConfidence: 0, endSilenceMs: 500, maxLengthMs: 1000 };
      media.send(mediaId, { type: 'listen', ...listen, listenId: 'l' });
      media.send(mediaId, { type: 'detect_machine', detectId: 'd', timeoutMs: 60_000, awaitBeepMs: 0 });
      media.send(mediaId, { type: 'send_digits', sendId: 'n', digits: '123456789', toneMs: 1000, gapMs: 1000 });
      media.send(mediaId, { type: 'hold', music: beep(1000) });
      await leg.events.until('stream_ended', 2);
      await close(leg);
      const { events } = leg;
      expect(events.types().toSorted()).toEqual(
        [
          'closed',
          'digits_sent',
          'listen_ended',
          'machine_detected',
          'play_ended',
          'record_ended',
          'record_ended',
          'stream_ended',
          'stream_ended',
        ].toSorted(),
      );
      expect(events.types().at(-1)).toBe('closed');
      const dual = new wavefile.WaveFile(await readFile(join(folder, 'b.wav')));
      expect(dual.fmt).toMatchObject({ numChannels: 2, sampleRate: 8000, blockAlign: 4, byteRate: 32_000 });
    });
  });

  describe('a media thread that dies', () => {
    it('closes its legs, each with its answers, and is replaced', async () => {
      const started = once(process, 'worker') as Promise<[Worker]>;
      const frail = createMedia({
        sockets,
        host: '127.0.0.65',
        portRange: [24_300, 24_301],
        threads: 1,
        audio,
        log: silentLog,
      });
      await frail.start();
      const [thread] = await started;
      const events = new Events();
      const address = await frail.open({ mediaId: 'a', onEvent: events.take });
      frail.send('a', { type: 'connect', remote: { ...REMOTE, ...peerAddress } });
      frail.send('a', { type: 'play', playId: 'p', audio: beep(60_000), repeat: false });
      frail.send('a', { type: 'send_digits', sendId: 's', digits: '1', toneMs: 5000, gapMs: 100 });
      await once(peer, 'message');
      const replaced = once(process, 'worker') as Promise<[Worker]>;
      await thread.terminate();
      await events.until('closed');
      expect(events.all).toMatchObject([
        { type: 'play_ended', playId: 'p', reason: 'failed', fault: { code: 'media_failed', retryable: true } },
        { type: 'digits_sent', sendId: 's' },
        { type: 'closed' },
      ]);
      const [next] = await replaced;
      await once(next, 'message');
      expect(await frail.open({ mediaId: 'a', onEvent: events.take })).toEqual(address);
      await frail.stop();
    });
  });

  describe('media metrics', () => {
    it('counts packets that the threads ignore, also of closed legs and dead threads', async () => {
      const started = once(process, 'worker') as Promise<[Worker]>;
      const media = createMedia({
        sockets,
        host: '127.0.0.65',
        portRange: [24_400, 24_419],
        threads: 1,
        audio,
        log: silentLog,
      });
      await media.start();
      const [worker] = await started;
      const dropped = async () => {
        await media.figures.refresh!();
        return countedIn(media.figures, 'media_packets_dropped_total');
      };
      const events = new Events();
      const { port } = await media.open({ mediaId: 'a', onEvent: events.take });
      const far = { host: PEER_HOST, port: peer.address().port };
      media.send('a', { type: 'connect', remote: { ...REMOTE, ...far } });
      media.send('a', { type: 'play', playId: 'p', audio: beep(60), repeat: false });
      await events.until('play_ended');
      peer.send(Buffer.from('this is not RTP'), port, '127.0.0.65');
      await expect.poll(dropped).toEqual({ malformed: 1 });
      expect(countOf(readFigure(media.figures, 'media_timer_lag_seconds')['1'])).toBeGreaterThan(0);
      media.send('a', { type: 'close' });
      await events.until('closed');
      expect(await dropped()).toEqual({ malformed: 1 });

      await worker.terminate();
      const threads = async () => {
        await media.figures.refresh!();
        return Object.keys(readFigure(media.figures, 'media_timer_lag_seconds'));
      };
      await expect.poll(threads).toEqual(['2']);
      expect(readFigure(media.figures, 'media_threads')).toEqual({ '': 1 });
      expect(await dropped()).toEqual({ malformed: 1 });
      await media.stop();
    });
  });

  describe('media ports', () => {
    const range = (first: number, last: number, host = '127.0.0.64') =>
      createMedia({ sockets, host, portRange: [first, last], threads: 1, audio, log: silentLog });
    const onEvent = (): void => {};

    it('are even, within the range, exhausted when all are taken, and reused', async () => {
      const small = range(24_000, 24_003);
      await small.start();
      const first = new Events();
      const ports = [
        await small.open({ mediaId: 'a', onEvent: first.take }),
        await small.open({ mediaId: 'b', onEvent }),
      ];
      expect(ports).toEqual([
        { host: '127.0.0.64', port: 24_000 },
        { host: '127.0.0.64', port: 24_002 },
      ]);
      await expect(small.open({ mediaId: 'c', onEvent })).rejects.toThrow('no RTP port is free');
      await expect(small.open({ mediaId: 'b', onEvent })).rejects.toThrow('open already');
      small.send('a', { type: 'close' });
      await first.until('closed');
      expect(await small.open({ mediaId: 'c', onEvent })).toMatchObject({ port: 24_000 });
      await small.stop();
      await expect(small.open({ mediaId: 'd', onEvent })).rejects.toThrow('not running');
    });

    it('are counted as used and free', async () => {
      const small = range(24_300, 24_307);
      await small.start();
      const ports = () => ['used', 'free'].map((state) => readFigure(small.figures, `rtp_port_pairs_${state}`)['']);
      const events = new Events();
      await small.open({ mediaId: 'a', onEvent: events.take });
      expect(ports()).toEqual([1, 3]);
      small.send('a', { type: 'close' });
      await events.until('closed');
      expect(ports()).toEqual([0, 4]);
      await small.stop();
    });

    it('are skipped if other processes use them', async () => {
      const holder = createSocket('udp4');
      holder.bind(24_100, '127.0.0.64');
      await once(holder, 'listening');
      const small = range(24_100, 24_103);
      await small.start();
      expect(await small.open({ mediaId: 'a', onEvent })).toMatchObject({ port: 24_102 });
      await expect(small.open({ mediaId: 'b', onEvent })).rejects.toThrow('no RTP port is free');
      await small.stop();
      holder.close();
    });

    it('are released by stop, which closes all legs, also those being opened', async () => {
      const small = range(24_200, 24_239);
      await small.start();
      const events = [new Events(), new Events()];
      await small.open({ mediaId: 'a', onEvent: events[0]!.take });
      small.send('a', {
        type: 'record',
        recordId: 'r',
        file: join(folder, 's.wav'),
        maxLengthMs: 9000,
        endSilenceMs: 0,
        terminators: '',
        dual: false,
        background: false,
      });
      const opening = small.open({ mediaId: 'b', onEvent: events[1]!.take });
      await small.stop();
      await opening;
      expect(events.map((each) => each.types())).toEqual([['record_ended', 'closed'], ['closed']]);
    });

    it('refuses a host that is a name', () => {
      expect(() => range(24_000, 24_100, 'localhost')).toThrow('IP address');
    });
  });
});
