/**
 * Phones with authentication and encryption: registered by digest over TLS, called as `user:NAME`, with SRTP. Skipped,
 * with the reason, if a phone is not installed.
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as talkFor } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { program } from '../programs.ts';
import type { Softphone } from './baresip.ts';
import { castAt, heardBy, PHONE_ADDRESS, TONE_HZ } from './cast.ts';
import type { Linphone } from './linphone.ts';
import { type Service, startService } from './service.ts';
import { secondsOfTone } from './sound.ts';
import { type Receiver, startReceiver } from './webhook-receiver.ts';

const ADDRESS = '127.0.0.77';
/** Address of a service that accepts SRTP only. */
const STRICT_ADDRESS = '127.0.0.78';
const TLS_PORT = 5061;
const PASSWORD = 'known-to-alice';
const cast = castAt(15_500);
const certificate = (file: string) => join(import.meta.dirname, '../sip/certificates', file);

const connect = (name: string, to: string) => `
flow: ${name}
start: connect
defaults: { exits: { error: bye } }
steps:
  connect: { bridge: "${to}", exits: { completed: bye, failed: bye } }
  bye: { hangup: normal }
`;

/** A baresip of this user, over TLS. */
const account = (password: string, more = '') =>
  `<sip:alice@${ADDRESS}:${TLS_PORT};transport=tls>;auth_user=alice;auth_pass=${password};regint=600${more}`;

const phones = [program('baresip'), program('linphonec')];
const missing = phones.some((phone) => phone.missing);
const why = phones.map((phone) => phone.why).join('');

describe.skipIf(missing)(`phones with secrets${why}`, () => {
  let service: Service;
  let strict: Service;
  let receiver: Receiver;

  const events = () => receiver.events.map(({ body }) => body);
  const told = (what: string) => receiver.until(() => events().some(({ state }) => state === what), what);
  const seconds = (phone: Linphone | Softphone, name: keyof typeof TONE_HZ) =>
    secondsOfTone(heardBy(phone), TONE_HZ[name]);
  const lastCall = async () => {
    const { body } = await service.api('GET', '/voice/v1/call?limit=1');
    return (body['calls'] as Record<string, unknown>[])[0];
  };

  beforeAll(async () => {
    receiver = await startReceiver(ADDRESS, 9077);
    [service, strict] = await Promise.all([
      startService({
        directory: mkdtempSync(join(tmpdir(), 'callweave-secure-')),
        address: ADDRESS,
        sip: {
          srtp: 'optional',
          tls: { port: TLS_PORT, cert: certificate('named.pem'), key: certificate('named.key') },
          users: [{ name: 'alice', password: PASSWORD }],
          allow_sip_uris: [PHONE_ADDRESS],
        },
        numbers: [
          { number: '7200', flow: 'to-alice', webhook: receiver.url },
          { number: '7201', flow: 'to-anna', webhook: receiver.url },
        ],
        flows: {
          'to-alice.flow.yaml': connect('to-alice', 'user:alice'),
          'to-anna.flow.yaml': connect('to-anna', cast.uri('anna')),
        },
      }),
      startService({
        directory: mkdtempSync(join(tmpdir(), 'callweave-strict-')),
        address: STRICT_ADDRESS,
        sip: { srtp: 'required', allow_sip_uris: [PHONE_ADDRESS] },
        numbers: [{ number: '7202', flow: 'to-dora', webhook: receiver.url }],
        flows: { 'to-dora.flow.yaml': connect('to-dora', cast.uri('dora')) },
      }),
    ]);
  });
  afterAll(async () => {
    const codes = await Promise.all([service?.stop(), strict?.stop()]);
    await receiver?.stop();
    expect(codes, service?.log()).toEqual([0, 0]);
  });
  beforeEach(({ onTestFailed }) => {
    onTestFailed(() => console.error(service.log(), strict.log()));
    receiver.events.length = 0;
  });
  afterEach(() => cast.stop());

  it('is called as user:alice after it has authenticated, by a phone that requires SRTP', {
    timeout: 60_000,
  }, async () => {
    const [stranger, alice, anna] = await Promise.all([
      cast.baresip('cora', { account: account('a-guess') }),
      cast.baresip('ben', { account: account(PASSWORD) }),
      cast.linphone('anna', { srtp: true }),
    ]);
    expect(await stranger.registers()).toBe(false);
    expect(await alice.registers()).toBe(true);
    anna.type(`call sip:7200@${service.sip}`);
    await told('bridged');
    await talkFor(1500);
    anna.type('terminate');
    await told('disconnected');
    await alice.event('CALL_CLOSED');
    expect(await lastCall()).toMatchObject({ from: 'anna', to: '7200', quality: { encrypted: true } });
    // A callee over TLS is offered SRTP, and called again without it, because this phone does not support SRTP.
    expect(service.log()).toContain('sip.srtp_refused');
    await cast.stop();
    expect(seconds(anna, 'ben')).toBeGreaterThan(1);
    expect(seconds(alice, 'anna')).toBeGreaterThan(1);
  });

  it('calls over TLS with SRTP, and hears a phone without either, and its keys by INFO', {
    timeout: 60_000,
  }, async () => {
    const [alice, anna] = await Promise.all([
      cast.baresip('ben', { account: account(PASSWORD, ';mediaenc=srtp-mand'), modules: ['srtp'] }),
      cast.linphone('anna', { answers: true, keysByInfo: true }),
    ]);
    expect(await alice.registers()).toBe(true);
    await alice.command('dial', `sip:7201@${ADDRESS}:${TLS_PORT};transport=tls`);
    await told('bridged');
    await talkFor(1500);
    anna.type('7');
    await alice.event('CALL_DTMF_END');
    expect(alice.keys()).toBe('7');
    await alice.command('hangup');
    await told('disconnected');
    expect(await lastCall()).toMatchObject({ from: 'alice', to: '7201', quality: { encrypted: true } });
    await cast.stop();
    expect(seconds(anna, 'ben')).toBeGreaterThan(1);
    expect(seconds(alice, 'anna')).toBeGreaterThan(1);
  });

  it('calls a service that requires SRTP, and is refused without it', { timeout: 60_000 }, async () => {
    const [anna, dora, plain] = await Promise.all([
      cast.linphone('anna', { srtp: true }),
      cast.linphone('dora', { srtp: true, answers: true }),
      cast.baresip('ben'),
    ]);
    await plain.command('dial', `sip:7202@${strict.sip}`);
    await plain.event('CALL_CLOSED');
    expect(plain.heard()).toEqual([]);
    anna.type(`call sip:7202@${strict.sip}`);
    await told('bridged');
    await talkFor(1500);
    anna.type('terminate');
    await told('disconnected');
    await cast.stop();
    expect(seconds(anna, 'dora')).toBeGreaterThan(1);
    expect(seconds(dora, 'anna')).toBeGreaterThan(1);
  });
});
