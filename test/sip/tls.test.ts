/**
 * SIP over TLS, over real sockets: which certificates are accepted for which names. The certificates are made for these
 * tests: `named` is for the host pbx.test and 127.0.0.1, `domain` for the SIP domain pbx.test on another host.
 */
import { readFileSync } from 'node:fs';
import { connect as connectPlain } from 'node:net';
import { connect } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/core/clock.ts';
import { randomIds } from '../../src/base/core/ids.ts';
import type { LegEvent } from '../../src/base/core/leg.ts';
import type { IncomingLeg } from '../../src/media/telephony/engine.ts';
import { createSipEngine } from '../../src/media/telephony/sip/engine.ts';
import type { SipEngine, SipEngineOptions } from '../../src/media/telephony/sip/engine-options.ts';
import { FakeMedia } from './fake-media.ts';

const pem = (file: string) => readFileSync(new URL(`certificates/${file}`, import.meta.url));
const certificate = (name: 'named' | 'domain') => ({ cert: pem(`${name}.pem`), key: pem(`${name}.key`) });
const ca = pem('ca.pem');

const engines: SipEngine[] = [];
afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.stop();
});

const start = async (tls: SipEngineOptions['tls'], options: SipEngineOptions = {}) => {
  const events: (LegEvent & { legId: string })[] = [];
  const calls: IncomingLeg[] = [];
  const engine = createSipEngine(
    { port: 0, ...(tls ? { tls: { port: 0, ...tls } } : {}), allowSipUris: ['pbx.test', '127.0.0.1'], ...options },
    {
      media: new FakeMedia(),
      clock: systemClock,
      ids: randomIds,
      random: Math.random,
      log: () => {},
      lookup: { addresses: async () => ['127.0.0.1'], services: async () => [] },
    },
  );
  engines.push(engine);
  await engine.start({
    incoming: (leg) => {
      calls.push(leg);
      engine.send(leg.legId, { type: 'answer' });
    },
    event: (legId, event) => events.push({ ...event, legId }),
  });
  return { engine, events, calls, port: engine.address().tlsPort ?? 0 };
};
const types = (events: LegEvent[]) => events.map(({ type }) => type);
const dial = ({ engine }: { engine: SipEngine }, to: string) =>
  engine.dial({ legId: 'out', from: '200', to, ringTimeoutMs: 5_000 });

describe('a call over TLS', () => {
  it.each([
    ['named', 'sip:100@127.0.0.1:PORT;transport=tls'],
    ['named', 'sips:100@pbx.test:PORT'],
    ['domain', 'sips:100@pbx.test:PORT'],
  ] as const)('connects to the holder of the certificate %s by %s, and ends', async (name, to) => {
    const callee = await start(certificate(name));
    const caller = await start({ ...certificate('named'), ca });
    dial(caller, to.replace('PORT', String(callee.port)));
    await expect.poll(() => types(callee.events)).toEqual(['answered']);
    expect(callee.calls[0]).toMatchObject({
      from: '200',
      to: '100',
      remote: expect.stringMatching(/^tls:127\.0\.0\.1:/),
    });
    callee.engine.send(callee.events[0]!.legId, { type: 'hangup', cause: 16 });
    await expect.poll(() => caller.events.at(-1)).toMatchObject({ type: 'ended', by: 'far', cause: { code: 16 } });
  });

  it.each([
    ['another name', 'domain', 'sip:100@127.0.0.1:PORT;transport=tls', true],
    ['nobody we know', 'named', 'sips:100@pbx.test:PORT', false],
  ] as const)('is not made with %s', async (_what, name, to, knows) => {
    const callee = await start(certificate(name));
    const caller = await start({ ...certificate('named'), ...(knows ? { ca } : {}) });
    dial(caller, to.replace('PORT', String(callee.port)));
    await expect.poll(() => caller.events.at(-1)).toMatchObject({ type: 'ended', cause: { code: 38 } });
    expect(callee.calls).toEqual([]);
  });

  it('is not placed without a TLS transport', async () => {
    const caller = await start(undefined);
    dial(caller, 'sips:100@pbx.test');
    await expect.poll(() => caller.events.at(-1)).toMatchObject({ type: 'ended', cause: { code: 3 } });
  });

  it.each([
    ['sip:100@127.0.0.1', '<sip:callweave@127.0.0.1:PORT;transport=tls>'],
    ['sips:100@127.0.0.1', '<sips:callweave@127.0.0.1:PORT>'],
  ])('%s: has a Contact that is reached by TLS', async (uri, contact) => {
    const { port } = await start(certificate('named'));
    const socket = connect({ host: '127.0.0.1', port, ca, checkServerIdentity: () => undefined });
    const said = new Promise<string>((resolve) => socket.on('data', (bytes) => resolve(bytes.toString())));
    const lines = [
      `INVITE ${uri} SIP/2.0`,
      'Via: SIP/2.0/TLS 127.0.0.1:9;branch=z9hG4bKx',
      'From: <sip:x@y>;tag=1',
      'To: <sip:100@127.0.0.1>',
      'Call-ID: c',
      'CSeq: 1 INVITE',
      'Contact: <sip:x@127.0.0.1:9;transport=tls>',
      'Max-Forwards: 70',
      'Content-Length: 0',
    ];
    socket.write(`${lines.join('\r\n')}\r\n\r\n`);
    expect(await said).toContain(`Contact: ${contact.replace('PORT', String(port))}`);
    socket.destroy();
  });

  it('rejects connections that are not TLS, and continues', async () => {
    const { port, engine } = await start(certificate('named'));
    const socket = connectPlain({ host: '127.0.0.1', port });
    const closed = new Promise((resolve) => socket.on('close', resolve));
    socket.on('error', () => {});
    socket.write('OPTIONS sip:x SIP/2.0\r\n\r\n');
    await closed;
    const caller = await start({ ...certificate('named'), ca });
    dial(caller, `sip:100@127.0.0.1:${port};transport=tls`);
    await expect.poll(() => types(caller.events)).toEqual(['answered']);
    expect(engine.counts().legs).toBe(1);
  });
});
