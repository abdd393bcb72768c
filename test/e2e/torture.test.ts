/**
 * Torture messages of RFC 4475 and RFC 5118, sent one by one to a running service over UDP and TCP: each is answered as
 * its section requires, and after each the service answers an OPTIONS.
 */
import { createSocket, type Socket } from 'node:dgram';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Phone } from '../engine/phone.ts';
import { type Service, SIP_PORT, startService } from './service.ts';
import { watch } from './watch.ts';

const ADDRESS = '127.0.0.100';
const FAR = '127.0.0.101';
const FOLDER = join(import.meta.dirname, '../fixtures/sip-torture');
const files = ['msgs4475', 'msgs5118'].flatMap((folder) =>
  readdirSync(join(FOLDER, folder)).map((file) => `${folder}/${file}`),
);

// Ports in the Via headers of the messages: answers are sent there if `rport` is absent (RFC 3261 §18.2.2).
const PORTS = [5060, 5050, 5070, 6050, 19_823];

/** Answer to each valid message from a service that knows `user`, `UserB` and a phone that may register. */
const VALID: Record<string, number> = {
  // Its To tag belongs to no known dialog (RFC 3261 §12.2.2).
  'msgs4475/wsinv.dat': 481,
  'msgs4475/intmeth.dat': 405,
  // Parsed correctly, with an unknown number: unknown callers are challenged first.
  'msgs4475/esc01.dat': 401,
  'msgs4475/escnull.dat': 401,
  'msgs4475/esc02.dat': 405,
  'msgs4475/lwsdisp.dat': 200,
  'msgs4475/longreq.dat': 200,
  'msgs4475/dblreq.dat': 401,
  'msgs4475/semiuri.dat': 200,
  'msgs4475/transports.dat': 200,
  'msgs4475/mpart01.dat': 405,
  // Acceptable although not all of it is beautiful (RFC 4475 §3.1.2.12, §3.3, §3.4).
  'msgs4475/baddate.dat': 200,
  'msgs4475/badbranch.dat': 200,
  'msgs4475/zeromf.dat': 200,
  'msgs4475/cparam01.dat': 401,
  'msgs4475/cparam02.dat': 401,
  'msgs4475/regescrt.dat': 401,
  'msgs4475/inv2543.dat': 200,
  'msgs5118/ipv6-good': 401,
  'msgs5118/port-ambiguous': 401,
  'msgs5118/port-unambiguous': 401,
  'msgs5118/via-received-param-with-delim': 481,
  'msgs5118/via-received-param-no-delim': 200,
  'msgs5118/mult-ip-in-header': 481,
  'msgs5118/mult-ip-in-sdp': 200,
  'msgs5118/ipv6-bug-abnf-3-colons': 200,
  'msgs5118/ipv6-correct-abnf-2-colons': 200,
  // Messages that the RFC wants to be refused for a specific reason.
  'msgs4475/badvers.dat': 505,
  'msgs4475/bext01.dat': 420,
  'msgs4475/invut.dat': 415,
  'msgs4475/regaut01.dat': 401,
  'msgs4475/sdp01.dat': 406,
  'msgs4475/unkscm.dat': 416,
  'msgs4475/novelsc.dat': 416,
  // Sound that we have no codec for.
  'msgs5118/ipv4-mapped-ipv6': 488,
};

/** Responses without a transaction, and unparsable data. */
const SILENT = [
  ...['unreason.dat', 'noreason.dat', 'scalarlg.dat', 'bigcode.dat', 'bcast.dat', 'test.dat'].map(
    (file) => `msgs4475/${file}`,
  ),
];

interface Answer {
  callId: string;
  status: number;
}

const callIdOf = (bytes: Buffer): string => /^(?:call-id|i)[ \t]*:\s*(\S+)/im.exec(bytes.toString('latin1'))?.[1] ?? '';

const optionsOf = (name: string): Buffer =>
  Buffer.from(
    [
      `OPTIONS sip:${ADDRESS} SIP/2.0`,
      `Via: SIP/2.0/UDP ${FAR}:5060;branch=z9hG4bK${name}`,
      `From: <sip:anybody@${FAR}>;tag=${name}`,
      `To: <sip:${ADDRESS}>`,
      `Call-ID: ${name}`,
      'CSeq: 1 OPTIONS',
      'Max-Forwards: 70',
      'Content-Length: 0',
      '\r\n',
    ].join('\r\n'),
  );

describe('a started service under torture', () => {
  let service: Service;
  let registered: Phone;
  const sockets: Socket[] = [];
  const answers: Answer[] = [];
  const news = watch();

  beforeAll(async () => {
    service = await startService({
      directory: mkdtempSync(join(tmpdir(), 'callweave-torture-')),
      address: ADDRESS,
      sip: { users: [{ name: 'phone', password: 'of-the-phone' }] },
      numbers: [
        { number: 'user', flow: 'short' },
        { number: 'UserB', flow: 'short' },
      ],
      flows: {
        'short.flow.yaml':
          'flow: short\nstart: hello\nsteps:\n  hello: { answer: {}, next: bye }\n  bye: { hangup: normal }\n',
      },
    });
    for (const port of PORTS) {
      const socket = createSocket('udp4');
      socket.on('message', (bytes) => {
        const status = Number(/^SIP\/2\.0 (\d{3}) /.exec(bytes.toString('latin1'))?.[1] ?? 0);
        answers.push({ callId: callIdOf(bytes), status });
        news.look();
      });
      await new Promise<void>((resolve) => socket.bind(port, FAR, resolve));
      sockets.push(socket);
    }
    // An unknown sender with so much malformed data in a second is ignored; a registered phone is not.
    registered = await Phone.open(FAR, { host: ADDRESS, port: SIP_PORT });
    registered.send(registered.request('REGISTER', { from: 'phone' }));
    const challenge = await registered.next('401 REGISTER');
    registered.send(registered.authorized('REGISTER', challenge, { from: 'phone' }, 'of-the-phone'));
    await registered.next('200 REGISTER');
  });

  afterAll(async () => {
    registered?.close();
    for (const socket of sockets) socket.close();
    // Its answered calls have callers who will never say ACK.
    await service?.kill();
  });

  const send = (bytes: Buffer): void => sockets[0]!.send(bytes, SIP_PORT, ADDRESS);

  const until = (found: () => boolean, what: string): Promise<void> =>
    news.until(found, () => `never came: ${what}\n${service.log().slice(-2000)}`, 5_000);

  const lives = async (name: string): Promise<void> => {
    send(optionsOf(name));
    await until(() => answers.some(({ callId, status }) => callId === name && status === 200), `life after ${name}`);
  };

  const finalOf = (callId: string): number | undefined =>
    answers.find((answer) => answer.callId === callId && answer.status >= 200)?.status;

  it('answers each of the 62 over UDP as its section requires, and survives', async () => {
    expect(files).toHaveLength(62);
    const given: Record<string, number | undefined> = {};
    for (const [at, file] of files.entries()) {
      const bytes = readFileSync(join(FOLDER, file));
      const callId = callIdOf(bytes);
      // Some messages share a Call-ID.
      for (const answer of answers) answer.callId = `before-${answer.callId}`;
      send(bytes);
      if (VALID[file] !== undefined) await until(() => finalOf(callId) !== undefined, `an answer to ${file}`);
      await lives(`udp-${at}`);
      given[file] = finalOf(callId);
    }
    const expected = Object.fromEntries(
      files.map((file) => [file, SILENT.includes(file) ? undefined : (VALID[file] ?? 400)]),
    );
    expect(given).toEqual(expected);
  }, 20_000);

  it('survives each of them over TCP, whole, split and joined', async () => {
    const streams = files.map((file) => readFileSync(join(FOLDER, file)));
    const cut = streams.map((bytes) => bytes.subarray(0, bytes.length >> 1));
    for (const [at, bytes] of [...streams, ...cut, Buffer.concat(streams)].entries()) {
      await new Promise<void>((resolve) => {
        const socket = connect({ host: ADDRESS, port: SIP_PORT, localAddress: FAR }, () => socket.end(bytes, resolve));
        socket.on('error', () => resolve());
        socket.resume();
      });
      await lives(`tcp-${at}`);
    }
    expect(service.log()).not.toMatch(/crash|uncaught|TypeError|RangeError/);
    expect((await service.api('GET', '/health')).status).toBe(200);
  }, 20_000);
});
