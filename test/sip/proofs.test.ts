/** Challenges of our requests: of stale nonces, of several realms, of all kinds of digest (fixtures 06 and 24). */
import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { headerOf, listOf, type SipRequest } from '../../src/media/telephony/sip/message.ts';
import { type FarEnd, Rig, SDP } from './rig.ts';

const HOST = '192.0.2.77';
const USER = { username: 'me', password: 'secret' };
let rig: Rig;
let carrier: FarEnd;

beforeEach(async () => {
  rig = await new Rig({ routes: [{ prefix: '', uri: `sip:${HOST}`, ...USER }] }).start();
  carrier = rig.far(5060, HOST);
  rig.engine.dial({ legId: 'leg-1', from: '+33199001122', to: '+49301234', ringTimeoutMs: 60_000 });
  await rig.settle();
});
afterEach(() => rig.finish());

type Challenge = { status?: 401 | 407; realm?: string; nonce: string; more?: string };

async function challenge(method: string, { status = 407, realm = 'carrier', nonce, more = '' }: Challenge) {
  const name = status === 407 ? 'Proxy-Authenticate' : 'WWW-Authenticate';
  const header = `${name}: Digest realm="${realm}", nonce="${nonce}"${more}`;
  carrier.reply(carrier.request(method), status, { headers: [header] });
  await rig.settle();
}

const QOP = ', qop="auth"';
const sent = (method: string): number => carrier.log.filter((what) => what === method).length;
const noncesOf = (request: SipRequest): string[] =>
  [...listOf(request, 'proxy-authorization'), ...listOf(request, 'authorization')].flatMap((line) =>
    [...line.matchAll(/nonce="([^"]+)"/g)].map(([, nonce]) => nonce!).filter((nonce) => nonce.startsWith('n')),
  );
const field = (line: string, name: string): string | undefined => new RegExp(`\\b${name}="?([^",]+)"?`).exec(line)?.[1];

describe('a second challenge of an INVITE', () => {
  it('is answered if the nonce was stale, with the new nonce alone', async () => {
    await challenge('INVITE', { nonce: 'n1', more: QOP });
    await challenge('INVITE', { nonce: 'n2', more: `, stale=true${QOP}` });
    expect(sent('INVITE')).toBe(3);
    expect(noncesOf(carrier.request('INVITE'))).toEqual(['n2']);
    carrier.reply(carrier.request('INVITE'), 200, { body: SDP });
    await rig.settle();
    expect(rig.types()).toEqual(['answered']);
    expect(noncesOf(carrier.request('ACK'))).toEqual(['n2']);
  });

  it('is answered if it is of another realm, with the credentials of both', async () => {
    await challenge('INVITE', { nonce: 'n1', more: QOP });
    await challenge('INVITE', { status: 401, realm: 'callee', nonce: 'n2', more: QOP });
    const request = carrier.request('INVITE');
    expect(noncesOf(request)).toEqual(['n1', 'n2']);
    // The count of a nonce that is used again grows.
    expect(field(headerOf(request, 'proxy-authorization')!, 'nc')).toBe('00000002');
    expect(field(headerOf(request, 'authorization')!, 'nc')).toBe('00000001');
  });

  it('ends the call if the same realm asks again', async () => {
    await challenge('INVITE', { nonce: 'n1', more: QOP });
    await challenge('INVITE', { nonce: 'n2', more: QOP });
    expect(sent('INVITE')).toBe(2);
    expect(rig.event('ended')).toMatchObject({ cause: { code: 21 }, sipStatus: 407 });
  });

  it('ends the call at the fourth', async () => {
    for (const nonce of ['n1', 'n2', 'n3', 'n4']) await challenge('INVITE', { nonce, more: `, stale=true${QOP}` });
    expect(sent('INVITE')).toBe(4);
    expect(rig.event('ended')).toMatchObject({ sipStatus: 407 });
  });
});

it('answers the stale nonce of a BYE, and no more than three challenges of it', async () => {
  carrier.reply(carrier.request('INVITE'), 200, { body: SDP });
  await rig.settle();
  rig.engine.send('leg-1', { type: 'hangup', cause: 16 });
  await rig.settle();
  for (const nonce of ['n1', 'n2', 'n3', 'n4']) await challenge('BYE', { nonce, more: `, stale=true${QOP}` });
  expect(sent('BYE')).toBe(4);
  expect(noncesOf(carrier.request('BYE'))).toEqual(['n3']);
});

describe('a challenge with', () => {
  const hash = (kind: string, text: string) => createHash(kind).update(text).digest('hex');

  it.each([
    ['MD5-sess', 'md5', ', algorithm=MD5-sess, qop="auth"', 'auth'],
    ['SHA-256-sess', 'sha256', ', algorithm=SHA-256-sess, qop="auth,auth-int"', 'auth'],
    ['auth-int alone', 'md5', ', qop="auth-int"', 'auth-int'],
    ['MD5-sess and auth-int', 'md5', ', algorithm=MD5-sess, qop="auth-int"', 'auth-int'],
  ])('answers a challenge with %s', async (_name, kind, more, qop) => {
    await challenge('INVITE', { status: 401, nonce: 'n1', more });
    const request = carrier.request('INVITE');
    const line = headerOf(request, 'authorization')!;
    const [cnonce, uri] = [field(line, 'cnonce')!, field(line, 'uri')!];
    const plain = hash(kind, 'me:carrier:secret');
    const a1 = more.includes('-sess') ? hash(kind, `${plain}:n1:${cnonce}`) : plain;
    const body = qop === 'auth-int' ? `:${hash(kind, request.body.toString('utf8'))}` : '';
    const a2 = hash(kind, `INVITE:${uri}${body}`);
    expect(field(line, 'qop')).toBe(qop);
    expect(field(line, 'response')).toBe(hash(kind, `${a1}:n1:00000001:${cnonce}:${qop}:${a2}`));
  });

  it.each([', algorithm=SHA-512-256, qop="auth"', ', qop="auth-conf"'])(
    '%s is named in the log, because it cannot be answered',
    async (more) => {
      await challenge('INVITE', { status: 401, nonce: 'n1', more });
      expect(rig.event('ended')).toMatchObject({ cause: { code: 21 } });
      const [line] = rig.logged.filter(({ message }) => message === 'sip.challenge_unsupported');
      expect(JSON.stringify(line)).toContain(/=(?:")?([\w-]+)"?$/.exec(more)![1]);
      expect(JSON.stringify(line)).not.toContain('n1');
    },
  );
});
