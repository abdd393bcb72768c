/**
 * A started service that listens on all addresses of the machine: two real phones talk through it and hear each other.
 * Skipped, with the reason, where baresip is not installed.
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as talkFor } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { program } from '../programs.ts';
import { castAt, heardBy, PHONE_ADDRESS, TONE_HZ } from './cast.ts';
import { type Service, startService } from './service.ts';
import { secondsOfTone } from './sound.ts';
import { type Receiver, startReceiver } from './webhook-receiver.ts';

const ADDRESS = '127.0.0.79';
const SIP_PORT = 16_479;
const cast = castAt(15_900);
const baresip = program('baresip');

const FLOW = `
flow: to-cora
start: connect
defaults: { exits: { error: bye } }
steps:
  connect: { bridge: "${cast.uri('cora')}", exits: { completed: bye, failed: bye } }
  bye: { hangup: normal }
`;

describe.skipIf(baresip.missing)(`all addresses${baresip.why}`, () => {
  let service: Service | undefined;
  let receiver: Receiver | undefined;
  afterEach(async () => {
    await cast.stop();
    const code = await service?.stop();
    await receiver?.stop();
    expect(code, service?.log()).toBe(0);
  });

  it.each(['0.0.0.0', '::'])(
    'places and receives calls on %s, with audio in both directions',
    async (host) => {
      receiver = await startReceiver(ADDRESS, 9079);
      service = await startService({
        directory: mkdtempSync(join(tmpdir(), 'callweave-addresses-')),
        address: ADDRESS,
        sip: { host, port: SIP_PORT, rtp_ports: [22_000, 22_099], allow_sip_uris: [PHONE_ADDRESS] },
        numbers: [{ number: '7300', flow: 'to-cora', webhook: receiver.url }],
        flows: { 'to-cora.flow.yaml': FLOW },
      });
      // The studio adds the host from the address of its page.
      const session = await service.api('POST', '/studio/session', {});
      expect(session.body['sip']).toEqual({ port: SIP_PORT });
      const [ben, cora] = await Promise.all([cast.baresip('ben'), cast.baresip('cora')]);
      await ben.command('dial', `sip:7300@127.0.0.1:${SIP_PORT}`);
      await receiver.until((events) => events.some(({ body }) => body['state'] === 'bridged'), 'bridged');
      await talkFor(1500);
      await ben.command('hangup');
      await receiver.until((events) => events.some(({ body }) => body['state'] === 'disconnected'), 'disconnected');
      await cast.stop();
      expect(secondsOfTone(heardBy(ben), TONE_HZ.cora)).toBeGreaterThan(1);
      expect(secondsOfTone(heardBy(cora), TONE_HZ.ben)).toBeGreaterThan(1);
    },
    60_000,
  );
});
