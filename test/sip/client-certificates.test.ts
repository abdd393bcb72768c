/**
 * Client certificates over real sockets, by an authority that openssl makes for these tests: carriers are identified by
 * them, and the engine shows its own to carriers.
 */
import { readFileSync } from 'node:fs';
import { connect, type SecureContextOptions, type TLSSocket } from 'node:tls';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/core/clock.ts';
import { randomIds } from '../../src/base/core/ids.ts';
import type { LegEvent } from '../../src/base/core/leg.ts';
import type { IncomingLeg } from '../../src/media/telephony/engine.ts';
import { namesOf } from '../../src/media/telephony/sip/certificate-names.ts';
import { createSipEngine } from '../../src/media/telephony/sip/engine.ts';
import type { SipEngine, SipEngineOptions } from '../../src/media/telephony/sip/engine-options.ts';
import { Authority } from './authority.ts';
import { FakeMedia } from './fake-media.ts';

const authority = new Authority();
const impostor = new Authority('An impostor');
afterAll(() => {
  authority[Symbol.dispose]();
  impostor[Symbol.dispose]();
});
const pem = (file: string) => readFileSync(new URL(`certificates/${file}`, import.meta.url));
const OURS = { cert: pem('named.pem'), key: pem('named.key') };

const engines: SipEngine[] = [];
const sockets: TLSSocket[] = [];
/** Ends the accepted calls: an engine waits a while for live calls. */
const goodbyes: (() => void)[] = [];
afterEach(async () => {
  for (const sayGoodbye of goodbyes.splice(0)) sayGoodbye();
  for (const engine of engines.splice(0)) await engine.stop();
  for (const socket of sockets.splice(0)) socket.destroy();
});

const start = async (options: Omit<SipEngineOptions, 'tls'> & { tls?: Partial<SipEngineOptions['tls']> }) => {
  const events: (LegEvent & { legId: string })[] = [];
  const calls: IncomingLeg[] = [];
  const logged: [message: string, fields: Record<string, unknown>][] = [];
  const engine = createSipEngine(
    { port: 0, ...options, tls: { port: 0, ...OURS, ...options.tls } },
    {
      media: new FakeMedia(),
      clock: systemClock,
      ids: randomIds,
      random: Math.random,
      log: (_level, message, fields) => logged.push([message, fields]),
      // The address of the carrier differs from the one it calls from.
      lookup: {
        addresses: async (name) => (name === 'pbx.test' ? ['127.0.0.1'] : ['192.0.2.77']),
        services: async () => [],
      },
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
  return { engine, events, calls, logged, port: engine.address().tlsPort ?? 0 };
};

const ROUTE = { prefix: '+', uri: 'sip:carrier.test', transport: 'tls' as const };
const CLIENT_CA = () => ({ clientCa: authority.pem });

/** Status lines that a call in the name of one of our users gets; `closed` where there is no talking. */
let calls = 0;
const called = async (port: number, shown: SecureContextOptions): Promise<string> => {
  const socket = connect({ host: '127.0.0.1', port, ...shown, rejectUnauthorized: false });
  sockets.push(socket);
  let text = '';
  const answered = new Promise<string>((resolve) => {
    socket.on('data', (bytes) => {
      text += bytes.toString();
      const status = [...text.matchAll(/^SIP\/2\.0 ([2-6]\d\d)/gm)].at(-1)?.[1];
      if (status !== undefined) resolve(status);
    });
    socket.on('error', () => resolve('closed'));
    socket.on('close', () => resolve('closed'));
  });
  const callId = ++calls;
  const send = (method: string, to: string): void => {
    const lines = [
      `${method} sip:100@127.0.0.1 SIP/2.0`,
      `Via: SIP/2.0/TLS 127.0.0.1:9;branch=z9hG4bK${method}${callId}`,
      'From: <sip:alice@carrier.test>;tag=1',
      'P-Asserted-Identity: <sip:+33612345678@carrier.test>',
      `To: ${to}`,
      `Call-ID: ${callId}`,
      `CSeq: ${method === 'BYE' ? 2 : 1} ${method}`,
      'Contact: <sip:x@127.0.0.1:9;transport=tls>',
      'Max-Forwards: 70',
      'Content-Length: 0',
    ];
    socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  };
  send('INVITE', '<sip:100@127.0.0.1>');
  const status = await answered;
  const accepted = /^SIP\/2\.0 200 [\s\S]*?^To: (.*)\r$/m.exec(text)?.[1];
  if (accepted !== undefined) {
    send('ACK', accepted);
    goodbyes.push(() => send('BYE', accepted));
  }
  return status;
};

const users = [{ name: 'alice', password: 'pw' }];

describe('a client with a certificate', () => {
  it.each<[what: string, names: string, of: Authority, status: string]>([
    ['of a gateway', 'DNS:carrier.test', authority, '200'],
    ['of its SIP domain', 'URI:sip:carrier.test', authority, '200'],
    ['of a gateway among others', 'DNS:sbc.test,DNS:Carrier.Test', authority, '200'],
    ['of another name', 'DNS:other.test', authority, '401'],
    ['of another SIP domain on that host', 'DNS:carrier.test,URI:sip:other.test', authority, '401'],
    ['of any name there', 'DNS:*.test', authority, '401'],
    ['that an impostor vouches for', 'DNS:carrier.test', impostor, '401'],
  ])('is accepted only if the certificate names its carrier: %s (%s)', async (_what, names, by, status) => {
    const { port, calls } = await start({ tls: CLIENT_CA(), users, routes: [ROUTE] });
    const { cert, key } = by.certificate(names);
    expect(await called(port, { cert, key })).toBe(status);
    // The caller ID sent by a carrier is trusted.
    expect(calls.map(({ from }) => from)).toEqual(status === '200' ? ['+33612345678'] : []);
  });

  it('is unknown if none is requested', async () => {
    const { port } = await start({ users, routes: [ROUTE] });
    const { cert, key } = authority.certificate('DNS:carrier.test');
    expect(await called(port, { cert, key })).toBe('401');
  });

  it('is admitted alone where one is required; others are closed, and that is logged', async () => {
    const tls = { ...CLIENT_CA(), verifyClient: 'required' as const };
    const { port, logged } = await start({ tls, users, routes: [ROUTE] });
    const { cert, key } = impostor.certificate('DNS:carrier.test');
    expect(await called(port, {})).toBe('closed');
    expect(await called(port, { cert, key })).toBe('closed');
    const refusals = logged.filter(([message]) => message === 'sip.certificate_refused');
    expect(refusals[0]?.[1]).toMatchObject({ source: expect.stringMatching(/^tls:127\.0\.0\.1:/) });
    const own = authority.certificate('DNS:other.test');
    expect(await called(port, { cert: own.cert, key: own.key })).toBe('401');
    const carrier = authority.certificate('DNS:carrier.test');
    expect(await called(port, { cert: carrier.cert, key: carrier.key })).toBe('200');
  });

  it('is admitted beside a crowd that has none', async () => {
    const tls = { ...CLIENT_CA(), verifyClient: 'required' as const };
    const { port } = await start({ tls, users, routes: [ROUTE] });
    const carrier = authority.certificate('DNS:carrier.test');
    const crowd = Array.from({ length: 100 }, (_, n) =>
      called(port, n % 2 === 0 ? {} : { maxVersion: 'TLSv1.2', minVersion: 'TLSv1.2' }),
    );
    expect(await called(port, { cert: carrier.cert, key: carrier.key })).toBe('200');
    expect(new Set(await Promise.all(crowd))).toEqual(new Set(['closed']));
    expect(await called(port, { cert: carrier.cert, key: carrier.key })).toBe('200');
  });

  it('is admitted without one where it is optional', async () => {
    const { port } = await start({ tls: CLIENT_CA(), users, routes: [ROUTE] });
    expect(await called(port, {})).toBe('401');
  });
});

describe('certificate of the engine', () => {
  const carrier = () => start({ tls: { clientCa: authority.pem, verifyClient: 'required' } });
  const dial = async (shown: boolean) => {
    const callee = await carrier();
    const { cert, key } = authority.certificate('DNS:us.test');
    const clients = shown ? [{ host: 'pbx.test', cert, key }] : [];
    const routes = [{ prefix: '+', uri: `sip:pbx.test:${callee.port}`, transport: 'tls' as const }];
    const caller = await start({ tls: { ca: pem('ca.pem'), clients }, routes });
    caller.engine.dial({ legId: 'out', from: '200', to: '+33612345678', ringTimeoutMs: 5_000 });
    return { caller, callee };
  };

  it('is shown to the carrier it is configured for', async () => {
    const { caller, callee } = await dial(true);
    await expect.poll(() => callee.events.map(({ type }) => type)).toEqual(['answered']);
    caller.engine.send('out', { type: 'hangup', cause: 16 });
    await expect.poll(() => callee.events.at(-1)).toMatchObject({ type: 'ended', by: 'far' });
  });

  it('is required by the carrier, which otherwise refuses the call', async () => {
    const { caller, callee } = await dial(false);
    await expect.poll(() => caller.events.at(-1), { timeout: 8_000 }).toMatchObject({ type: 'ended' });
    expect(callee.calls).toEqual([]);
  });
});

describe('renewed certificates', () => {
  const shownBy = (port: number): Promise<string> =>
    new Promise((resolve, reject) => {
      const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false }, () =>
        resolve(String(socket.getPeerCertificate().subject.CN)),
      );
      sockets.push(socket);
      socket.on('error', reject);
    });

  it('are used from the next connection on, and open connections continue', async () => {
    const { engine, port } = await start({ tls: CLIENT_CA(), users, routes: [ROUTE] });
    const client = authority.certificate('DNS:carrier.test');
    expect(await called(port, { cert: client.cert, key: client.key })).toBe('200');
    const before = await shownBy(port);
    const next = authority.certificate('DNS:pbx.test', 'next year');
    engine.renewTls({ cert: next.cert, key: next.key, clientCa: impostor.pem });
    expect([before === 'next year', await shownBy(port)]).toEqual([false, 'next year']);
    expect(sockets[0]!.destroyed).toBe(false);
    // Others vouch now.
    expect(await called(port, { cert: client.cert, key: client.key })).toBe('401');
    const other = impostor.certificate('DNS:carrier.test');
    expect(await called(port, { cert: other.cert, key: other.key })).toBe('200');
  });

  it.each([
    ['no certificate', { cert: 'nonsense' }],
    ['the key of another', { key: () => impostor.certificate('').key }],
    ['no authority', { clientCa: 'nonsense' }],
    ['no certificate for a carrier', { clients: [{ host: 'x', cert: 'nonsense', key: 'nonsense' }] }],
  ])('changes nothing for unusable files: %s', async (_what, wrong) => {
    const { engine, port } = await start({});
    const before = await shownBy(port);
    const { cert, key } = authority.certificate('DNS:pbx.test', 'next year');
    const given = Object.fromEntries(
      Object.entries(wrong).map(([name, value]) => [name, typeof value === 'function' ? value() : value]),
    );
    expect(() => engine.renewTls({ cert, key, ...given })).toThrow();
    expect(await shownBy(port)).toBe(before);
  });
});

describe('the names of a certificate', () => {
  it.each<[alternative: string | undefined, commonName: string, names: string[]]>([
    ['DNS:a.test, DNS:B.test', 'c.test', ['a.test', 'b.test']],
    ['URI:sip:a.test, DNS:b.test', 'c.test', ['a.test']],
    ['URI:sip:alice@a.test, DNS:b.test', 'c.test', ['b.test']],
    ['URI:https://a.test, DNS:b.test', 'c.test', ['b.test']],
    ['IP Address:192.0.2.1', 'c.test', ['192.0.2.1']],
    ['DNS:*.a.test', 'c.test', []],
    [undefined, 'c.test', ['c.test']],
    [undefined, '*.test', []],
    // One name that looks like several.
    ['DNS:"x, DNS:a.test, URI:sip:b.test", DNS:c.test', 'd', ['x, dns:a.test, uri:sip:b.test', 'c.test']],
    ['email:a@b.test', 'c.test', []],
  ])('are read from %j and the common name %s as %j', (subjectaltname, CN, names) => {
    const certificate = { subject: { CN }, ...(subjectaltname === undefined ? {} : { subjectaltname }) };
    expect(namesOf(certificate as Parameters<typeof namesOf>[0])).toEqual(names);
  });
});
