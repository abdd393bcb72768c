/** Packets to a capture server: HEPv3, parsed here independently. */
import { createSocket, type Socket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../src/base/core/clock.ts';
import { HepSender, type HepSettings } from '../../../src/service/observers/sip/hep.ts';
import { createSipMask } from '../../../src/service/observers/sip/mask.ts';
import { inviteText, passing } from './messages.ts';

let server: Socket;
let sender: HepSender | undefined;
beforeEach(async () => {
  server = createSocket('udp4');
  server.bind(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  sender?.close();
  server.close();
});

const start = (settings: Partial<HepSettings> = {}) => {
  const failed = (error: unknown) => {
    throw error;
  };
  const given = { host: '127.0.0.1', port: server.address().port, captureId: 2001, ...settings };
  sender = new HepSender(given, { mask: createSipMask(['X-Secret']), clock: systemClock, failed });
  return sender;
};

/** Chunk number → value. */
function decode(packet: Buffer): Map<number, Buffer> {
  expect(packet.toString('latin1', 0, 4)).toBe('HEP3');
  expect(packet.readUInt16BE(4)).toBe(packet.length);
  const chunks = new Map<number, Buffer>();
  for (let at = 6; at < packet.length; at += packet.readUInt16BE(at + 4)) {
    expect(packet.readUInt16BE(at)).toBe(0);
    chunks.set(packet.readUInt16BE(at + 2), packet.subarray(at + 6, at + packet.readUInt16BE(at + 4)));
  }
  return chunks;
}

it('is each message with its addresses, ports and time, masked', async () => {
  const begunS = Math.floor(Date.now() / 1000);
  const received = once(server, 'message');
  const text = inviteText('one@x', ['Authorization: Digest response="0123456789"', 'X-Secret: 4711']);
  start({ password: 'shared' }).message(passing('one@x', text));
  const chunks = decode((await received)[0] as Buffer);
  const number = (key: number) => chunks.get(key)!.readUIntBE(0, chunks.get(key)!.length);
  expect([1, 2, 7, 8, 11, 12].map(number)).toEqual([2, 17, 5062, 5060, 1, 2001]);
  expect([...chunks.get(3)!]).toEqual([192, 0, 2, 50]);
  expect([...chunks.get(4)!]).toEqual([192, 0, 2, 1]);
  expect(number(9)).toBeGreaterThanOrEqual(begunS);
  expect(number(10)).toBeLessThan(1_000_000);
  expect(chunks.get(14)!.toString()).toBe('shared');
  expect(chunks.get(17)!.toString()).toBe('one@x');
  const payload = chunks.get(15)!.toString();
  expect(payload).toContain('INVITE sip:100@192.0.2.1 SIP/2.0\r\n');
  expect(payload).not.toMatch(/0123456789|4711/);
});

it('says IPv6 and TCP as they are', async () => {
  const received = once(server, 'message');
  const ends = { local: () => ({ host: '2001:db8::1', port: 1 }), remote: { host: '2001:db8::2', port: 2 } };
  start().message(passing('c', inviteText('c'), { ...ends, transport: 'tls', direction: 'sent' }));
  const chunks = decode((await received)[0] as Buffer);
  expect([[...chunks.get(1)!], [...chunks.get(2)!]]).toEqual([[10], [6]]);
  expect([chunks.get(5)!.at(-1), chunks.get(6)!.at(-1)]).toEqual([1, 2]);
  expect([3, 4, 14].some((key) => chunks.has(key))).toBe(false);
});

it('finds a server by its name', async () => {
  const { address, family } = await lookup('localhost');
  const named = createSocket(family === 6 ? 'udp6' : 'udp4');
  onTestFinished(() => void named.close());
  named.bind(0, address);
  await once(named, 'listening');
  const received = once(named, 'message');
  const hep = start({ host: 'localhost', port: named.address().port });
  const again = setInterval(() => hep.message(passing('c', inviteText('c'))), 5);
  const [packet] = await received.finally(() => clearInterval(again));
  expect(
    decode(packet as Buffer)
      .get(17)!
      .toString(),
  ).toBe('c');
});

it('drops what no server takes, says once that its name is unknown, and never throws', async () => {
  const errors: unknown[] = [];
  const settings = { host: 'no-such-host.invalid', port: 9, captureId: 1 };
  const said = Promise.withResolvers<void>();
  const failed = (error: unknown) => {
    errors.push(error);
    said.resolve();
  };
  sender = new HepSender(settings, { mask: createSipMask(), clock: systemClock, failed });
  for (let n = 0; n < 5_000; n++) sender.message(passing('c', inviteText('c')));
  await said.promise;
  expect(errors).toHaveLength(1);
  sender.close();
  sender.message(passing('c', inviteText('c')));
  start({ port: 9 });
  for (let n = 0; n < 2_000; n++) sender.message(passing('c', inviteText('c')));
});
