/** Engines under load, short of ports, with malformed input and stopped amid calls: nothing leaks, calls continue. */
import { spawn } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Phone, SDP_TYPE } from './phone.ts';
import { play, Site, type SiteOptions, sendDigits, tone } from './site.ts';

const [ONE, OTHER, PHONE] = ['127.0.34.1', '127.0.34.2', '127.0.34.3'] as const;
/** Ports for exactly two calls. */
const NARROW = [20_000, 20_003] as const;
const open: Site[] = [];

const site = async (options: SiteOptions): Promise<Site> => {
  const opened = await Site.open(options);
  open.push(opened);
  return opened;
};
const pair = (other: Partial<SiteOptions> = {}): Promise<[Site, Site]> =>
  Promise.all([site({ host: ONE, allowSipUris: [OTHER] }), site({ host: OTHER, allowSipUris: [ONE], ...other })]);
const idle = (each: Site): Promise<void> =>
  expect.poll(() => each.engine.counts(), { interval: 5, timeout: 3_000 }).toMatchObject({ legs: 0, sessions: 0 });

afterEach(async () => {
  await Promise.all(open.splice(0).map(({ engine }) => engine.stop()));
});

describe('many calls at once', () => {
  it('connects all calls, delivers their own digits, and ends them', async () => {
    const [one, other] = await pair();
    other.onArrival = async (leg) => {
      leg.send({ type: 'answer' });
      await leg.until('answered');
      // The last two digits of the called number.
      leg.send(play('p', [tone(440, 100)]), sendDigits('s', leg.arrival!.to.slice(-2)));
    };
    const calls = Array.from({ length: 50 }, async (_, n) => {
      const number = String(10 + n);
      const leg = one.dial(other.uri(`+331990011${number}`));
      await leg.until('digit', 2);
      expect(leg.digits).toBe(number);
      return leg.hangUp();
    });
    for (const ended of await Promise.all(calls)) expect(ended).toMatchObject({ by: 'near', cause: { code: 16 } });
    await Promise.all([idle(one), idle(other)]);
    const legs = [...other.legs.values()];
    expect(legs).toHaveLength(50);
    for (const leg of legs) {
      expect(leg.types.filter((type) => type !== 'digit').sort()).toEqual([
        'answered',
        'digits_sent',
        'ended',
        'play_ended',
      ]);
      expect(leg.isOver).toBe(true);
    }
  });
});

describe('an engine without free ports', () => {
  it('refuses calls with 503, and accepts one when another has ended', async () => {
    const [one, other] = await pair({ portRange: NARROW });
    const [first, second] = [await one.call(other), await one.call(other)];
    const refused = one.dial(other.uri('+33199001122'));
    const tried = await other.arrival();
    tried.send({ type: 'answer' });
    expect(await refused.until('ended')).toMatchObject({ by: 'far', sipStatus: 503, cause: { code: 41 } });
    expect(await tried.until('ended')).toMatchObject({ by: 'network', sipStatus: 503, cause: { code: 34 } });
    expect(await other.dial(one.uri('+33199001122')).until('ended')).toMatchObject({
      by: 'network',
      cause: { code: 34 },
    });

    await first[0].hangUp();
    await first[1].until('ended');
    const [near, far] = await one.call(other);
    far.send(play('p', [tone(440, 100)]));
    expect(await far.until('play_ended')).toMatchObject({ reason: 'finished' });
    for (const leg of [near, second[0]]) await leg.hangUp();
    await idle(other);
  });

  it('loses none to callers who hang up while it answers', async () => {
    const [one, other] = await pair({ portRange: NARROW });
    for (let round = 0; round < 20; round++) {
      const near = one.dial(other.uri('+33199001122'));
      const far = await other.arrival();
      far.send({ type: round % 2 === 0 ? 'answer' : 'progress' });
      near.send({ type: 'hangup', cause: 16 });
      await Promise.all([near.until('ended'), far.until('ended')]);
    }
    const calls = [await one.call(other), await one.call(other)];
    for (const [near, far] of calls) await Promise.all([near.hangUp(), far.until('ended')]);
  });
});

describe('malformed input', () => {
  let fed: Site;
  beforeAll(async () => {
    fed = await Site.open({ host: ONE, portRange: NARROW });
    // If only the answer shows that the description is unusable, it is refused then.
    fed.onArrival = (leg) => leg.send({ type: 'answer' });
  });
  afterAll(() => fed.engine.stop());

  const valid = 'v=0\r\no=- 1 1 IN IP4 127.0.34.3\r\ns=-\r\nc=IN IP4 127.0.34.3\r\nt=0 0\r\n';
  it.each<[what: string, sdp: string, status: number]>([
    ['no description', 'hello', 400],
    ['no version', 'o=- 1 1 IN IP4 1.2.3.4\r\nm=audio 4000 RTP/AVP 0\r\n', 400],
    ['no media', valid, 400],
    ['a media line without port', `${valid}m=audio RTP/AVP 0\r\n`, 400],
    ['a port beyond all ports', `${valid}m=audio 70000 RTP/AVP 0\r\n`, 400],
    ['a negative port', `${valid}m=audio -1 RTP/AVP 0\r\n`, 400],
    ['no address', 'v=0\r\no=- 1 1 IN IP4 h\r\ns=-\r\nt=0 0\r\nm=audio 4000 RTP/AVP 0\r\n', 400],
    ['a name for an address', `${valid.replace('c=IN IP4 127.0.34.3', 'c=IN IP4 phone')}m=audio 4 RTP/AVP 0\r\n`, 488],
    [
      'an address of the other family',
      `${valid.replace('IP4 127.0.34.3\r\nt', 'IP6 ::1\r\nt')}m=audio 4 RTP/AVP 0\r\n`,
      488,
    ],
    ['a codec we do not have', `${valid}m=audio 4000 RTP/AVP 18\r\n`, 488],
    ['encryption', `${valid}m=audio 4000 RTP/SAVP 0\r\n`, 488],
    ['video alone', `${valid}m=video 4000 RTP/AVP 31\r\n`, 488],
    ['a stream that is switched off', `${valid}m=audio 0 RTP/AVP 0\r\n`, 488],
    ['more than anybody needs', `${valid}m=audio 4000 RTP/AVP 0\r\n${'a=x:y\r\n'.repeat(4_000)}`, 400],
  ])('is refused without leaks in place of a session description: %s', async (_, sdp, status) => {
    const before = fed.legs.size;
    const phone = await Phone.open(PHONE, fed.engine.address());
    phone.send(phone.request('INVITE', { headers: [SDP_TYPE], body: sdp }));
    await phone.next(`${status} INVITE`);
    await idle(fed);
    for (const leg of [...fed.legs.values()].slice(before)) expect(leg.types).toEqual(['ended']);
    for (let call = 0; call < 2; call++) await phone.call();
    for (const leg of fed.legs.values()) {
      if (leg.isOver) continue;
      leg.send({ type: 'hangup', cause: 16 });
      phone.answer(await phone.next('BYE'), 200);
      await leg.until('ended');
    }
    await idle(fed);
    phone.close();
  });

  it('is survived over UDP and TCP', async () => {
    const one = await site({ host: ONE });
    const { host, port } = one.engine.address();
    const phone = await Phone.open(PHONE, { host, port });
    const invite = phone.request('INVITE', { headers: [SDP_TYPE], body: phone.sdp() });
    const rubbish = [
      '\0'.repeat(200),
      'GET / HTTP/1.1\r\nHost: x\r\n\r\n',
      invite.slice(0, 100),
      invite.replace('CSeq: ', 'CSeq: x'),
      invite.replace(/^Via: .*\r\n/m, ''),
      invite.replace(';branch=', ';__proto__=x;constructor;branch='),
      invite.replace(/Content-Length: \d+/, 'Content-Length: 99999999'),
      invite.replace(/Content-Length: \d+/, 'Content-Length: -1'),
      `SIP/2.0 200 OK\r\nVia: SIP/2.0/UDP ${host}:${port};branch=z9hG4bKnone\r\n\r\n`,
    ];
    for (const text of rubbish) phone.send(text);
    const closed = rubbish.map(
      (text) =>
        new Promise<void>((resolve) => {
          const socket = connect({ host, port, localAddress: PHONE }, () => socket.end(text));
          socket.on('close', () => resolve()).on('error', () => {});
          socket.resume();
        }),
    );
    await Promise.all(closed);
    const called = one.legs.size;
    const calling = phone.call();
    await one.until(
      () => one.legs.size > called,
      () => 'a call',
    );
    const [last, ...others] = [...one.legs.values()].reverse();
    for (const leg of others) leg.send({ type: 'reject', sipStatus: 480 });
    last!.send({ type: 'answer' });
    await calling;
    last!.send({ type: 'hangup', cause: 16 });
    phone.answer(await phone.next('BYE'), 200);
    await last!.until('ended');
    expect(one.engine.counts().crashed).toBe(0);
    phone.close();
  });
});

describe('stop of an engine', () => {
  it('ends the calls of both sides, and a second engine can take the address', async () => {
    const [one, other] = await pair();
    const [near, far] = await one.call(other);
    const ringing = one.dial(other.uri('+33199001122'));
    (await other.arrival()).send({ type: 'ring' });
    await ringing.until('ringing');
    const { port } = other.engine.address();
    await other.engine.stop();
    expect(far.events.at(-1)).toMatchObject({ type: 'ended', by: 'near' });
    expect(await near.until('ended')).toMatchObject({ by: 'far', cause: { code: 41 } });
    expect(await ringing.until('ended')).toMatchObject({ by: 'far', sipStatus: 503 });
    await idle(one);

    const successor = await site({ host: OTHER, port });
    const [again] = await one.call(successor);
    await again.hangUp();
  });

  it('frees everything that would keep the process alive, with calls in every state', async () => {
    const child = spawn(process.execPath, [join(import.meta.dirname, 'stop-child.ts'), '127.0.34.11', '127.0.34.12'], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const output: string[] = [];
    const errors: string[] = [];
    // Leftovers would keep it alive for the 32 seconds of a SIP transaction, or forever.
    let killer: NodeJS.Timeout | undefined;
    child.stdout.on('data', (chunk) => {
      output.push(String(chunk));
      killer ??= setTimeout(() => child.kill('SIGKILL'), 25_000);
    });
    child.stderr.on('data', (chunk) => errors.push(String(chunk)));
    const code = await new Promise((resolve) => child.once('exit', resolve));
    clearTimeout(killer);
    for (const file of readdirSync(tmpdir())) {
      if (file.startsWith(`callweave-stop-${child.pid}-`)) rmSync(join(tmpdir(), file));
    }
    expect(errors.join('')).toBe('');
    expect(code).toBe(0);
    const legs = JSON.parse(output.join('')) as string[][];
    expect(legs.length).toBeGreaterThanOrEqual(10);
    for (const types of legs) {
      expect(types.filter((type) => type === 'ended')).toHaveLength(1);
      expect(types.at(-1)).toBe('ended');
    }
  });
});
