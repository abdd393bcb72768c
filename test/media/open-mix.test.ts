/**
 * A mix with an external member, such as a room of browsers: who hears whom, who may speak to it, and that it survives
 * the end of a thread; and voice activity of a party.
 */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { describe, expect, it, onTestFinished } from 'vitest';
import { silentLog } from '../../src/base/core/silent-log.ts';
import { openMixLink } from '../../src/media/rooms/embedded/mix-link.ts';
import { createMedia } from '../../src/media/telephony/media/media.ts';
import { MixSocket } from '../../src/media/telephony/media/mix-socket.ts';
import { LOOPBACK, type MixAddress, writeFrame } from '../../src/media/toolbox/audio/mix-frame.ts';
import { FRAME_SAMPLES } from '../../src/media/toolbox/audio/sample-rate.ts';
import { amplitudeAt } from '../speech/sounds.ts';
import { Meeting, Party } from './parties.ts';
import { concat, tone } from './rig.ts';

const [ADA_HZ, BEN_HZ, ROOM_HZ] = [300, 500, 900];
const LOUD = 2500;
const NOTHING = 50;

/** Sends a continuous tone, and records the audio it receives. */
function outsider(hertz: number) {
  const said = tone(hertz, 1000, 5000);
  const heard: Int16Array[] = [];
  let at = 0;
  return {
    next() {
      at = (at + FRAME_SAMPLES) % said.length;
      return said.subarray(at, at + FRAME_SAMPLES);
    },
    deliver: (others: Int16Array) => void heard.push(others.slice()),
    heard: () => concat(heard),
  };
}

const said = (party: Party, hertz: number): Party => {
  party.say(tone(hertz, 4000, 5000));
  return party;
};

describe('an external member', () => {
  it.each([
    ['alone with one leg', [[ADA_HZ]]],
    ['with two legs, who relayed packets before', [[ADA_HZ, BEN_HZ]]],
    ['with legs in two threads', [[ADA_HZ], [BEN_HZ]]],
    ['in a thread without legs', [[], [ADA_HZ, BEN_HZ]]],
  ])('hears all others, and is heard by them: %s', (_case, threads) => {
    const meeting = new Meeting(threads.map((legs) => legs.map((hertz) => said(new Party(hertz), hertz))));
    meeting.run(100);
    const room = outsider(ROOM_HZ);
    meeting.threads[0]!.mix.addOutside(room);
    for (const [index, { mix }] of meeting.threads.entries()) {
      const others = threads.map((legs, peer) => ({ peer, legs: legs.length + (peer === 0 ? 1 : 0) }));
      mix.setPeers(others.filter(({ peer }) => peer !== index));
    }
    for (const party of meeting.parties) party.sent.length = 0;
    meeting.run(1000);
    const legs = threads.flat();
    for (const hertz of legs) expect(amplitudeAt(hertz, room.heard())).toBeGreaterThan(LOUD);
    expect(amplitudeAt(ROOM_HZ, room.heard())).toBeLessThan(NOTHING);
    for (const [index, hertz] of legs.entries()) {
      const heard = meeting.parties[index]!.heard();
      for (const other of [...legs, ROOM_HZ]) {
        if (other === hertz) expect(amplitudeAt(other, heard)).toBeLessThan(NOTHING);
        else expect(amplitudeAt(other, heard)).toBeGreaterThan(LOUD);
      }
    }
  });

  it('leaves two legs to each other when it leaves', () => {
    const [a, b] = [new Party(1), new Party(2)];
    const { mix } = new Meeting([[a, b]]).threads[0]!;
    const room = outsider(ROOM_HZ);
    mix.addOutside(room);
    expect(mix.isMixing).toBe(true);
    mix.removeOutside(room);
    expect(mix.isMixing).toBe(false);
  });
});

describe('party of an open mix', () => {
  it('is not sent to others while it is inaudible, also in a relay of packets', () => {
    const [a, b, c] = [said(new Party(1), ADA_HZ), new Party(2), new Party(3)];
    const pair = new Meeting([[a, b]]);
    a.leg.setHeard(false);
    pair.run(100);
    expect(b.sent).toEqual([]);
    a.leg.setHeard(true);
    pair.run(100);
    expect(b.sent.length).toBeGreaterThan(3);
    pair.threads[0]!.mix.add(c.leg);
    a.leg.setHeard(false);
    pair.threads[0]!.parties.push(c);
    pair.run(200);
    expect(amplitudeAt(ADA_HZ, c.heard())).toBeLessThan(NOTHING);
  });

  it('is reported when it talks, heard or not, and not while it is muted', () => {
    const a = new Party(1);
    const talks: boolean[] = [];
    const meeting = new Meeting([[a, new Party(2)]]);
    a.leg.watchTalking((on) => talks.push(on));
    a.leg.setHeard(false);
    meeting.run(500);
    expect(talks).toEqual([]);
    a.say(tone(ADA_HZ, 1000, 5000));
    meeting.run(600);
    expect(talks).toEqual([true]);
    meeting.run(1500);
    expect(talks).toEqual([true, false]);
    a.leg.mute(true);
    a.say(tone(ADA_HZ, 1000, 5000));
    meeting.run(600);
    a.leg.mute(false);
    a.leg.watchTalking(undefined);
    meeting.run(600);
    expect([talks, a.leg.active]).toEqual([[true, false], false]);
  });
});

describe('the socket of an open mix', () => {
  const KEY = 'ab'.repeat(16);
  const FRAME = new Int16Array(FRAME_SAMPLES).fill(7);

  async function open() {
    let nowMs = 0;
    const later = (ms: number): void => {
      nowMs += ms;
    };
    const port = await new Promise<number>((opened, failed) => {
      const socket = new MixSocket({ key: KEY, nowMs: () => nowMs, opened, failed });
      mix = socket;
      onTestFinished(() => socket.close());
    });
    return { port, later };
  }
  let mix: MixSocket;

  async function speaker(port: number, from = LOOPBACK) {
    const socket = createSocket('udp4');
    onTestFinished(() => void socket.close());
    await new Promise<void>((resolve) => socket.bind(0, from, resolve));
    const heard: Buffer[] = [];
    socket.on('message', (bytes) => heard.push(bytes));
    return {
      heard,
      send: (bytes: Uint8Array) => new Promise((resolve) => socket.send(bytes, port, LOOPBACK, resolve)),
    };
  }
  const frames = () => Array.from({ length: 20 }, () => mix.next()).filter((each) => each !== undefined).length;
  const untilHeard = async (least: number) => {
    let count = 0;
    await expect.poll(() => (count += frames())).toBeGreaterThanOrEqual(least);
  };

  it('accepts packets with the key from this machine, and answers only its last sender', async () => {
    const { port, later } = await open();
    const [friend, stranger, elsewhere] = [await speaker(port), await speaker(port), await speaker(port, '127.0.0.61')];
    const key = Buffer.from(KEY, 'hex');
    for (const bytes of [Buffer.alloc(336), Buffer.alloc(0), writeFrame(key, FRAME).subarray(1), Buffer.alloc(9000)]) {
      await stranger.send(bytes);
    }
    for (let index = 0; index < 4; index++) await elsewhere.send(writeFrame(key, FRAME));
    mix.deliver(FRAME);
    for (let index = 0; index < 4; index++) await friend.send(writeFrame(key, FRAME));
    await untilHeard(3);
    mix.deliver(FRAME);
    await expect.poll(() => friend.heard.length).toBe(1);
    expect([frames(), stranger.heard, elsewhere.heard]).toEqual([0, [], []]);
    // Another process takes its place.
    const next = await speaker(port);
    for (let index = 0; index < 4; index++) await next.send(writeFrame(key, FRAME));
    await untilHeard(3);
    mix.deliver(FRAME);
    await expect.poll(() => next.heard.length).toBe(1);
    later(1001);
    mix.deliver(FRAME);
    later(-1001);
    mix.deliver(FRAME);
    await expect.poll(() => next.heard.length).toBe(2);
    expect(friend.heard).toHaveLength(1);
  });
});

describe('media with an open mix', () => {
  it('opens a mix by UDP, in another thread when its own dies, and closes it', async () => {
    const started = once(process, 'worker') as Promise<[Worker]>;
    const audio = { load: () => Promise.reject(new Error('there is none')), durationMs: () => 0 };
    const media = createMedia({ host: '127.0.0.66', portRange: [24_400, 24_409], threads: 1, audio, log: silentLog });
    await media.start();
    onTestFinished(() => media.stop());
    const [thread] = await started;
    const addresses: MixAddress[] = [];
    const opening = media.openMix('room shop a', (at) => void addresses.push(at));
    await expect.poll(() => addresses.length).toBe(1);
    await thread.terminate();
    await expect.poll(() => addresses.length, { timeout: 10_000 }).toBe(2);
    // One leg is in the mix: it is sent what the other end says.
    const leg = createSocket('udp4');
    await new Promise<void>((resolve) => leg.bind(0, '127.0.0.66', resolve));
    onTestFinished(() => void leg.close());
    await media.open({ mediaId: 'leg', onEvent: () => undefined });
    const remote = {
      host: '127.0.0.66',
      port: leg.address().port,
      codec: 'PCMU',
      payloadType: 0,
      ptimeMs: 20,
    } as const;
    media.send('leg', { type: 'connect', remote: { ...remote, send: true, receive: true } });
    media.send('leg', { type: 'join', mixId: 'room shop a' });
    let heard = 0;
    const link = openMixLink(
      addresses[1]!,
      () => heard++,
      () => undefined,
    );
    const talk = setInterval(() => link.send(new Int16Array(FRAME_SAMPLES).fill(1000)), 20);
    onTestFinished(() => {
      clearInterval(talk);
      link.close();
    });
    for (;;) {
      const [packet] = (await once(leg, 'message')) as [Buffer];
      // Anything but the silence of mu-law.
      if (packet.length === 172 && packet[20] !== 0xff) break;
    }
    await expect.poll(() => heard).toBeGreaterThan(2);
    opening.close();
    await expect.poll(() => isFree(addresses[1]!.port)).toBe(true);
  });
});

function isFree(port: number): Promise<boolean> {
  const socket = createSocket('udp4');
  return new Promise((resolve) => {
    socket.once('error', () => resolve(false));
    socket.bind(port, LOOPBACK, () => socket.close(() => resolve(true)));
  });
}
