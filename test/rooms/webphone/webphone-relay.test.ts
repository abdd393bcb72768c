/** Media between a browser and its call, over real sockets; the test plays the connection of the browser. */
import { createSocket, type Socket } from 'node:dgram';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { MediaTransportEvents } from '../../../src/media/rooms/media-transport.ts';
import type { WebphoneEvent } from '../../../src/media/rooms/webphone/webphone-messages.ts';
import { WebphoneRelay } from '../../../src/media/rooms/webphone/webphone-relay.ts';
import { VirtualClock } from '../../../src/proof/testkit/virtual-clock.ts';

const HOST = '127.0.0.1';
const OFFER = `v=0
a=ice-ufrag:O6eX
a=ice-pwd:Cj6Ej+RcCcUb+fyRUkLS9rTu
a=fingerprint:sha-256 4B:6E
a=setup:actpass
m=audio 9 UDP/TLS/RTP/SAVPF 111 0 126
a=mid:0
a=rtpmap:0 PCMU/8000
a=rtpmap:126 telephone-event/8000
`;
const ENDPOINT = {
  ice: { ufrag: 'u', password: 'p', fingerprint: 'sha-256 AA', setup: 'active' },
  setup: 'active',
  candidates: [],
};

const rtp = (payloadType: number, sequence = 1, bytes = 160): Buffer => {
  const packet = Buffer.alloc(12 + bytes, 0xff);
  packet.writeUInt8(0x80, 0);
  packet.writeUInt8(payloadType, 1);
  packet.writeUInt16BE(sequence, 2);
  packet.writeUInt32BE(sequence * 160, 4);
  packet.writeUInt32BE(7, 8);
  return packet;
};
/** A receiver report of nothing (RFC 3550 §6.4.2). */
const REPORT = Buffer.from([0x80, 201, 0, 1, 0, 0, 0, 7]);

const bound = async (): Promise<Socket> => {
  const socket = createSocket('udp4');
  await new Promise<void>((resolve) => socket.bind(0, HOST, resolve));
  onTestFinished(() => void socket.close());
  return socket;
};

async function rig(offer = OFFER, answer: () => Promise<typeof ENDPOINT> = async () => ENDPOINT) {
  const clock = new VirtualClock();
  const media = await bound();
  const atMedia: Buffer[] = [];
  const atBrowser: Buffer[] = [];
  const events: WebphoneEvent[] = [];
  const warnings: string[] = [];
  let browser!: MediaTransportEvents;
  let isClosed = false;
  media.on('message', (bytes) => atMedia.push(bytes));
  const line = new WebphoneRelay('line', {
    clock,
    open(_name, given) {
      browser = given;
      return {
        isOpen: true,
        offer: async () => ENDPOINT,
        answered: () => true,
        answer,
        send: (bytes: Buffer) => void atBrowser.push(bytes),
        close() {
          isClosed = true;
        },
      };
    },
    report: (event) => void events.push(event),
    warn: (message) => void warnings.push(message),
  });
  onTestFinished(() => line.close());
  await line.open(offer, { host: HOST, port: media.address().port });
  const described = events.find(({ type }) => type === 'described') as Extract<WebphoneEvent, { type: 'described' }>;
  /** Waits for a packet of the test, which arrives after all earlier ones. */
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  };
  return {
    ...{ clock, line, media, atMedia, atBrowser, events, warnings, described, settle },
    fromBrowser: (bytes: Buffer) => browser.packet(bytes),
    changed: (state: Parameters<MediaTransportEvents['changed']>[0]) => browser.changed(state),
    isClosed: () => isClosed,
    async fromMedia(bytes: Buffer, socket = media) {
      await new Promise((resolve) => socket.send(bytes, described.rtp.port, HOST, resolve));
      await settle();
    },
  };
}

describe('the media line of a webphone', () => {
  it('reports its media address and the negotiated media', async () => {
    const { described } = await rig();
    expect(described).toMatchObject({
      rtp: { host: HOST, port: expect.any(Number) },
      telephoneEventPayloadType: 126,
      audio: { send: true, receive: true },
    });
    expect(described.sdp).toContain('m=audio 9 UDP/TLS/RTP/SAVPF 0 126');
  });

  it('passes audio, digits and reports to the call, and nothing else', async () => {
    const { fromBrowser, atMedia, settle } = await rig();
    const passing = [rtp(0, 1), rtp(126, 2, 4), REPORT];
    const others = [rtp(111, 3), rtp(8, 4), Buffer.from('junk'), Buffer.alloc(0), rtp(0, 5).subarray(0, 11)];
    for (const packet of [...others, ...passing, rtp(0, 6, 2000)]) fromBrowser(packet);
    await settle();
    expect(atMedia.map((bytes) => bytes.toString('hex'))).toEqual(passing.map((bytes) => bytes.toString('hex')));
  });

  it('limits the packets per second', async () => {
    const { fromBrowser, atMedia, settle, clock } = await rig();
    for (let each = 0; each < 5000; each++) fromBrowser(rtp(0, each, 4));
    await settle();
    expect(atMedia.length).toBeLessThanOrEqual(400);
    const before = atMedia.length;
    await clock.advance(1000);
    fromBrowser(rtp(0, 1));
    await settle();
    expect(atMedia.length).toBe(before + 1);
  });

  it('passes to the browser the packets of its call only', async () => {
    const { fromMedia, atBrowser } = await rig();
    const stranger = await bound();
    await fromMedia(rtp(0, 66), stranger);
    await fromMedia(rtp(0, 1));
    expect(atBrowser.map((bytes) => bytes.readUInt16BE(2))).toEqual([1]);
  });

  it('reports the start and the end of audio, ignoring short gaps', async () => {
    const { changed, events } = await rig();
    for (const state of ['open', 'weak', 'lost'] as const) changed(state);
    expect(events.map(({ type }) => type)).toEqual(['described', 'open', 'lost']);
  });

  it('refuses an offer that is malformed or cannot be answered', async () => {
    expect((await rig('garbage')).events).toEqual([{ type: 'refused', why: 'the offer is not SDP' }]);
    const failing = await rig(OFFER, () => Promise.reject(new Error('no address')));
    expect(failing.events).toEqual([{ type: 'refused', why: 'the offer cannot be answered' }]);
    expect(failing.warnings).toEqual(['a webphone could not be opened']);
  });

  it('closes its socket and sends nothing more when it is closed, also while it opens', async () => {
    const { line, changed, events, isClosed, fromBrowser, atMedia, settle } = await rig();
    line.close();
    changed('lost');
    fromBrowser(rtp(0, 1));
    await settle();
    expect([events.length, atMedia.length, isClosed()]).toEqual([1, 0, true]);

    const opening = Promise.withResolvers<typeof ENDPOINT>();
    const early = rig(OFFER, () => opening.promise);
    opening.resolve(ENDPOINT);
    (await early).line.close();
  });
});
