/** A mix that spans several nodes: one node is linked to each of the others, and every party hears all others. */
import { createSocket } from 'node:dgram';
import { describe, expect, it, onTestFinished } from 'vitest';
import { silentLog } from '../../src/base/core/silent-log.ts';
import { createMedia } from '../../src/media/telephony/media/media.ts';
import type { OutsideParty } from '../../src/media/telephony/media/mix.ts';
import { MixSocket } from '../../src/media/telephony/media/mix-socket.ts';
import { FRAME_SAMPLES } from '../../src/media/toolbox/audio/sample-rate.ts';
import { amplitudeAt } from '../speech/sounds.ts';
import { Meeting, Party } from './parties.ts';
import { tone } from './rig.ts';

const LOUD = 2500;
const NOTHING = 100;

/** Two ends: each repeats in its next frame the audio that it received. */
function wire(): [OutsideParty, OutsideParty] {
  const frames: Int16Array[][] = [[], []];
  const end = (own: number): OutsideParty => ({
    next: () => frames[own]!.shift(),
    deliver: (others) => void frames[1 - own]!.push(others.slice()),
  });
  return [end(0), end(1)];
}

describe('a mix at three nodes', () => {
  it.each([
    ['with people at all of them', [[300], [500, 700], [900]]],
    ['with nobody at the one in the middle', [[], [500], [900, 1100]]],
  ])('lets all hear each other, without an echo: %s', (_case, nodes) => {
    const meetings = nodes.map(
      (tones) =>
        new Meeting([
          tones.map((hertz) => {
            const party = new Party(hertz);
            party.say(tone(hertz, 4000, 5000));
            return party;
          }),
        ]),
    );
    const mixes = meetings.map(({ threads }) => threads[0]!.mix);
    for (const other of mixes.slice(1)) {
      const [here, there] = wire();
      mixes[0]!.addOutside(here);
      other.addOutside(there);
    }
    const run = (ms: number): void => {
      for (let at = 0; at < ms; at += 20) for (const meeting of meetings) meeting.run(20);
    };
    run(200);
    for (const { parties } of meetings) for (const party of parties) party.sent.length = 0;
    run(1000);
    for (const [node, tones] of nodes.entries()) {
      for (const [index, own] of tones.entries()) {
        const heard = meetings[node]!.parties[index]!.heard();
        for (const hertz of nodes.flat()) {
          if (hertz === own) expect(amplitudeAt(hertz, heard)).toBeLessThan(NOTHING);
          else expect(amplitudeAt(hertz, heard)).toBeGreaterThan(LOUD);
        }
      }
    }
  });
});

describe('a link between nodes', () => {
  const [ONE, TWO, THREE] = ['127.0.0.66', '127.0.0.67', '127.0.0.68'];
  const KEY = 'cd'.repeat(16);
  const FRAME = new Int16Array(FRAME_SAMPLES).fill(9);

  it('accepts packets only from the agreed host, and the accepting end begins', async () => {
    const ports: number[] = [];
    const end = (localHost: string, farHost: string, farPort?: number) =>
      new Promise<MixSocket>((resolve, failed) => {
        const far = { localHost, farHost, ...(farPort === undefined ? {} : { farPort }) };
        const opened = (port: number): void => {
          ports.push(port);
          resolve(socket);
        };
        const socket: MixSocket = new MixSocket({ key: KEY, far, nowMs: () => 0, opened, failed });
        onTestFinished(() => socket.close());
      });
    const heardBy = async (socket: MixSocket, sender: MixSocket): Promise<Int16Array> => {
      let heard: Int16Array | undefined;
      await expect
        .poll(() => {
          sender.deliver(FRAME);
          heard ??= socket.next();
          return heard;
        })
        .toBeDefined();
      return heard!;
    };
    const opening = await end(ONE, TWO);
    const stranger = await end(THREE, ONE, ports[0]!);
    for (let frame = 0; frame < 5; frame++) stranger.deliver(FRAME);
    const accepting = await end(TWO, ONE, ports[0]!);
    // The new link does not know any member yet.
    opening.deliver(FRAME);
    expect([opening.next(), accepting.next()]).toEqual([undefined, undefined]);
    expect(await heardBy(opening, accepting)).toEqual(FRAME);
    expect(await heardBy(accepting, opening)).toEqual(FRAME);
    expect(stranger.next()).toBeUndefined();
  });

  it('is opened by one node and accepted by the other', async () => {
    const audio = { load: () => Promise.reject(new Error('there is none')), durationMs: () => 0 };
    const nodes = [ONE, TWO].map((host) =>
      createMedia({ host, portRange: [24_420, 24_429], threads: 1, audio, log: silentLog }),
    );
    for (const node of nodes) {
      await node.start();
      onTestFinished(() => node.stop());
    }
    const phones = await Promise.all([ONE, TWO].map((host, index) => phoneAt(nodes[index]!, host)));
    const accepted: { close(): void }[] = [];
    const link = nodes[1]!.linkMix('m', { localHost: TWO, farHost: ONE }, ({ port, key }) => {
      accepted.push(nodes[0]!.acceptMixLink('m', { localHost: ONE, farHost: TWO, farPort: port }, key));
    });
    await expect.poll(() => phones.map(({ isHearing }) => isHearing())).toEqual([true, true]);
    link.close();
    accepted[0]!.close();
  });
});

/** A telephone in the mix `m` that talks continuously. */
async function phoneAt(media: ReturnType<typeof createMedia>, host: string) {
  const socket = createSocket('udp4');
  await new Promise<void>((resolve) => socket.bind(0, host, resolve));
  onTestFinished(() => void socket.close());
  const at = await media.open({ mediaId: host, onEvent: () => undefined });
  const remote = { host, port: socket.address().port, codec: 'PCMU', payloadType: 0, ptimeMs: 20 } as const;
  media.send(host, { type: 'connect', remote: { ...remote, send: true, receive: true } });
  media.send(host, { type: 'join', mixId: 'm' });
  let loud = 0;
  // Anything but the silence of mu-law.
  socket.on('message', (packet) => {
    if (packet.length === 172 && packet.subarray(12).some((byte) => (byte & 0x7f) < 0x60)) loud++;
  });
  let sequence = 0;
  const talk = setInterval(() => {
    const packet = Buffer.alloc(172, 0x10);
    packet.writeUInt16BE(0x8000, 0);
    packet.writeUInt16BE(++sequence, 2);
    packet.writeUInt32BE(sequence * 160, 4);
    packet.writeUInt32BE(7, 8);
    socket.send(packet, at.port, host);
  }, 20);
  onTestFinished(() => clearInterval(talk));
  return { isHearing: () => loud > 5 };
}
