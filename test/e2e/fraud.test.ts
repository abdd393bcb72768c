/**
 * Attackers get neither minutes of the carrier nor user names, and do not disturb other calls: calls to outside
 * numbers, scanners, and ten thousand wrong passwords next to calls of an honest phone.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { program } from '../programs.ts';
import { acknowledgesRefusal, hangsUp, invite, playCaller, receives, request, waits } from './scenario.ts';
import { type Service, SIP_PORT, startService } from './service.ts';
import { type Asked, Stranger, sdpAt } from './stranger.ts';
import { watch } from './watch.ts';
import { type Receiver, startReceiver } from './webhook-receiver.ts';

const ADDRESS = '127.0.0.88';
const ATTACKER = '127.0.0.89';
const HONEST = '127.0.0.87';
const CARRIER = '127.0.0.83';
const CARRIER_PORT = 5078;
const RECEIVER_PORT = 9088;
const OUTSIDE = '+33900000000';
const PASSWORD = 'of-the-phone';
const GUESSES = 10_000;

const WAIT = `
flow: wait
start: answer
steps:
  answer: { answer: {}, next: wait }
  wait: { wait_for: { events: [done], timeout: 20s }, exits: { done: bye, timeout: bye } }
  bye: { hangup: normal }
`;

const SDP = sdpAt(ATTACKER);
const here = (user: string): string => `sip:${user}@${ADDRESS}:${SIP_PORT}`;
const md5 = (text: string): string => createHash('md5').update(text).digest('hex');

/** Refusal of a carrier without a free line. */
function refusalOf(invite: string): string {
  const kept = invite.split('\r\n').filter((line) => /^(Via|From|Call-ID|CSeq):/.test(line));
  const to = `${/^To: .*$/m.exec(invite)![0].trim()};tag=carrier`;
  return `${['SIP/2.0 486 Busy Here', ...kept, to, 'Content-Length: 0'].join('\r\n')}\r\n\r\n`;
}

describe('an attacker', () => {
  let service: Service;
  let receiver: Receiver;
  let attacker: Stranger;
  let honest: Stranger;
  /** Requests that reached the carrier. */
  const asked: string[] = [];
  const carrierNews = watch();
  const carrier = createSocket('udp4');

  beforeAll(async () => {
    carrier.on('message', (bytes, from) => {
      const text = bytes.toString();
      asked.push(text.split('\r\n', 1)[0]!);
      carrierNews.look();
      if (text.startsWith('INVITE')) carrier.send(refusalOf(text), from.port, from.address);
    });
    await new Promise<void>((resolve) => carrier.bind(CARRIER_PORT, CARRIER, resolve));
    receiver = await startReceiver(ADDRESS, RECEIVER_PORT);
    service = await startService({
      directory: mkdtempSync(join(tmpdir(), 'callweave-fraud-')),
      address: ADDRESS,
      sip: {
        users: [
          { name: 'alice', password: PASSWORD },
          { name: '102', password: PASSWORD },
        ],
        routes: [{ uri: `sip:${CARRIER}:${CARRIER_PORT}` }],
      },
      numbers: [{ number: '1000', flow: 'wait', webhook: receiver.url }],
      flows: { 'wait.flow.yaml': WAIT },
    });
  });

  afterAll(async () => {
    const code = await service?.stop();
    await receiver?.stop();
    carrier.close();
    expect(code).toBe(0);
  });

  beforeEach(async () => {
    attacker = await Stranger.at(ATTACKER, service.sip);
    honest = await Stranger.at(HONEST, service.sip);
    asked.length = 0;
    receiver.events.length = 0;
  });

  afterEach(() => {
    attacker.close();
    honest.close();
  });

  const invites = () => asked.filter((line) => line.startsWith('INVITE'));

  describe('cannot make the service dial', () => {
    const sdp = { body: SDP };
    it.each<[string, Asked]>([
      ['to a number', { uri: here(OUTSIDE) }],
      ['to a number, as one of us', { uri: here(OUTSIDE), from: 'alice' }],
      ['to a number, as one of our numbers', { uri: here(OUTSIDE), from: '1000' }],
      ['to a number, as who is called', { uri: here(OUTSIDE), from: OUTSIDE }],
      ['to a tel URI', { uri: `tel:${OUTSIDE}` }],
      ['to a tel URI with parameters', { uri: 'tel:900000000;phone-context=+33', from: 'alice' }],
      ['to a number with prefixes', { uri: here('0033900000000') }],
      ['to a number at the carrier', { uri: `sip:${OUTSIDE}@${CARRIER}:${CARRIER_PORT}` }],
      ['to a number at the carrier, as one of us', { uri: `sip:${OUTSIDE}@${CARRIER}:${CARRIER_PORT}`, from: 'alice' }],
      ['to another host', { uri: 'sip:somebody@192.0.2.1' }],
      ['by way of the carrier', { uri: here(OUTSIDE), headers: [`Route: <sip:${CARRIER}:${CARRIER_PORT};lr>`] }],
      ['asserting to be trusted', { uri: here(OUTSIDE), headers: [`P-Asserted-Identity: <sip:alice@${CARRIER}>`] }],
      ['to a user', { uri: here('user:alice') }],
      ['in the place of another', { uri: here('1000'), headers: ['Replaces: a;to-tag=b;from-tag=c'] }],
      ['by a referral', { method: 'REFER', uri: here('1000'), headers: [`Refer-To: <${here(OUTSIDE)}>`] }],
      ['by a referral, as one of us', { method: 'REFER', from: 'alice', headers: [`Refer-To: <tel:${OUTSIDE}>`] }],
    ])('is rejected for a call %s', async (_, wanted) => {
      const status = await attacker.status({ ...sdp, ...wanted });
      expect(status).toBeGreaterThanOrEqual(400);
      // Later requests are answered, so the service has handled the earlier ones.
      expect(await attacker.status({ method: 'OPTIONS' })).toBe(200);
      expect(invites()).toEqual([]);
      expect(receiver.events).toEqual([]);
    });

    it('is rejected, unlike a client with a key', async () => {
      await service.api('POST', '/voice/v1/call', { from: '1000', to: OUTSIDE, event_url: receiver.url });
      await carrierNews.until(
        () => invites().length > 0,
        () => 'no INVITE came',
        5_000,
      );
      expect(invites()[0]).toContain(OUTSIDE);
      // A service with a call that rings takes its time to stop.
      await receiver.until((events) => events.some(({ body }) => body['state'] === 'disconnected'), 'the end');
    });
  });

  describe('cannot enumerate names', () => {
    it.each(['REGISTER', 'INVITE', 'OPTIONS', 'SUBSCRIBE', 'PUBLISH', 'MESSAGE', 'REFER', 'BYE', 'NOTIFY'])(
      'are indistinguishable for users and others by %s',
      async (method) => {
        const unlike = (text: string) => text.replace(/(tag|nonce|branch|Call-ID|From|To|Via)[=:].*/g, '');
        const body = method === 'INVITE' ? SDP : '';
        const answers = [];
        for (const name of ['102', '103', 'alice', 'alibe']) {
          answers.push(
            unlike(
              await attacker.ask({
                method,
                uri: method === 'REGISTER' ? `sip:${ADDRESS}` : here(name),
                from: name,
                body,
              }),
            ),
          );
        }
        expect(new Set(answers).size, answers.join('\n')).toBe(1);
      },
    );
  });

  const svmap = program('svmap');
  it.skipIf(svmap.missing)(`finds nothing by scanning${svmap.why}`, { timeout: 60_000 }, async () => {
    const names = ['-e', '95-110', '--force', ADDRESS];
    const scans = await Promise.all([
      output('svmap', ['-P', '5191', ADDRESS]),
      output('svwar', ['-P', '5192', '-m', 'REGISTER', ...names]),
      output('svwar', ['-P', '5193', '-m', 'INVITE', ...names]),
      output('svwar', ['-P', '5194', '-m', 'OPTIONS', ...names]),
    ]);
    for (const scan of scans) expect(scan).toContain('found nothing');
    expect(receiver.events).toEqual([]);
  });

  const sippProgram = program('sipp');
  it.skipIf(sippProgram.missing)(
    `guesses passwords in vain, cheaply, and beside the calls of others${sippProgram.why}`,
    { timeout: 60_000 },
    async () => {
      const register = { method: 'REGISTER', uri: `sip:${ADDRESS}`, from: 'alice' };
      const nonce = /nonce="([^"]+)"/.exec(await attacker.ask(register))![1]!;
      let guesses = 0;
      const guess = (password = `guess-${++guesses}`): Asked => {
        const uri = `sip:${ADDRESS}`;
        const nc = (guesses + 1).toString(16).padStart(8, '0');
        const proof = md5(
          [md5(`alice:callweave:${password}`), nonce, nc, 'c', 'auth', md5(`REGISTER:${uri}`)].join(':'),
        );
        const said = `username="alice", realm="callweave", nonce="${nonce}", uri="${uri}", response="${proof}"`;
        const line = `Authorization: Digest ${said}, algorithm=MD5, qop=auth, nc=${nc}, cnonce="c"`;
        return { ...register, headers: [line] };
      };
      /** Sends `times` guesses; the answers are read after every hundred. */
      const guessOn = async (times: number): Promise<void> => {
        for (let done = 0; done < times; done += 100) {
          for (let at = 0; at < 100; at++) attacker.send(guess());
          await honest.ask({ method: 'OPTIONS' });
        }
      };
      const before = await figuresOf(service);
      await guessOn(GUESSES / 2);

      const calls = await playCaller(
        [
          invite(),
          receives(401, { auth: true }),
          acknowledgesRefusal(),
          invite({ cseq: 2, headers: [`[authentication username=alice password=${PASSWORD}]`] }),
          receives(200),
          request('ACK', { cseq: 2 }),
          waits(500),
          hangsUp(3),
        ],
        {
          address: HONEST,
          port: 5066,
          target: service.sip,
          number: '1000',
          from: 'alice',
          calls: 20,
          more: ['-auth_uri', `1000@${service.sip}`],
        },
      );
      await guessOn(GUESSES / 2);
      const result = await calls.ended;
      expect(result, result.output.slice(-3000)).toMatchObject({ successful: 20, failed: 0 });
      await receiver.until(
        (events) => events.filter(({ body }) => body['state'] === 'disconnected').length === 20,
        '20 ends',
      );

      expect(guesses).toBe(GUESSES);
      const statuses = attacker.answers.map((text) => Number(text.slice(8, 11)));
      expect(statuses.filter((status) => status === 200)).toEqual([]);
      expect(statuses.length).toBeLessThan(100);
      // After this number of guesses the correct password is refused, too.
      attacker.send(guess(PASSWORD));
      await honest.ask({ method: 'OPTIONS' });
      expect(attacker.answers.map((text) => Number(text.slice(8, 11)))).not.toContain(200);
      const { body } = await service.api('POST', '/voice/v1/call', {
        from: '1000',
        to: 'user:alice',
        event_url: receiver.url,
      });
      await receiver.until(
        (events) => events.some(({ body: told }) => told['voice_id'] === body['voice_id']),
        'the end',
      );
      expect(receiver.events.at(-1)!.body).toMatchObject({ state: 'disconnected', disconnect_cause_code: 20 });
      // A guess costs hashes and an answer: nearly all are dropped before both.
      const after = await figuresOf(service);
      expect(after.wrongPasswords - before.wrongPasswords).toBeLessThan(100);
      expect(after.dropped - before.dropped).toBeGreaterThan(GUESSES - 100);
    },
  );
});

async function figuresOf(service: Service): Promise<{ wrongPasswords: number; dropped: number }> {
  const text = await (await service.download('/metrics')).text();
  const read = (name: string): number => Number(new RegExp(`^callweave_${name} (\\d+)$`, 'm').exec(text)?.[1]);
  return { wrongPasswords: read('sip_wrong_passwords_total'), dropped: read('sip_messages_dropped_total') };
}

/** Output of a program, from stdout and stderr. */
async function output(command: string, words: readonly string[]): Promise<string> {
  const child = spawn(command, words, { stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
  await new Promise((resolve) => child.once('close', resolve));
  return text;
}
