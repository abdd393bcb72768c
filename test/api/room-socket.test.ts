/** The WebSocket of rooms: who may open it, and what closes it. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { systemClock } from '../../src/base/core/clock.ts';
import { silentLog } from '../../src/base/core/silent-log.ts';
import { VirtualClock } from '../../src/proof/testkit/virtual-clock.ts';
import { clientAddresses } from '../../src/service/api/client-address.ts';
import { startHttpServer } from '../../src/service/api/http-server.ts';
import { createRoomSocket } from '../../src/service/api/video/room-socket.ts';
import { roomRig } from '../rooms/room-fixtures.ts';

async function socketRig({ isOpen = true, trustedProxies = [] as string[] } = {}) {
  const rooms = roomRig();
  const clock = new VirtualClock();
  const socket = createRoomSocket({
    clock,
    log: silentLog,
    origins: { corsOrigins: ['https://app.example'] },
    isOpen: () => isOpen,
    addresses: clientAddresses(trustedProxies),
    vouches: (pass) => rooms.sessions.vouches(pass),
    connect: (link) => rooms.sessions.connect(link),
  });
  const http = await startHttpServer((_req, res) => void res.end('as any'), {
    ...{ host: '127.0.0.1', port: 0, clock: systemClock, upgrades: socket },
  });
  onTestFinished(async () => {
    const closed = socket.close();
    await clock.advance(1000);
    await closed;
    await http.close(0);
  });
  const base = `127.0.0.1:${http.port}`;
  const open = (headers: Record<string, string> = {}, path = '/video/v2/connect', protocols: string[] = []) => {
    const client = new WebSocket(`ws://${base}${path}`, protocols, { headers });
    const received: string[] = [];
    client.on('message', (data) => void received.push(data.toString()));
    const outcome = new Promise<number | 'open'>((resolve) => {
      client.once('open', () => resolve('open'));
      client.once('unexpected-response', (_request, { statusCode = 0 }) => resolve(statusCode));
      client.on('error', () => undefined);
    });
    const closed = new Promise<number>((resolve) => client.once('close', resolve));
    const next = () => new Promise<string>((resolve) => client.once('message', (data) => resolve(data.toString())));
    return { client, received, outcome, closed, next };
  };
  return { ...rooms, socketClock: clock, open, base };
}

describe('the web socket of rooms', () => {
  it.each([
    ['no origin, as programs have none', {}, 'open'],
    ['an origin that the configuration names', { origin: 'https://app.example' }, 'open'],
    ['another origin', { origin: 'https://evil.example' }, 403],
    ['the origin null', { origin: 'null' }, 403],
  ])('checks the origin of a request with %s', async (_, headers, outcome) => {
    const { open } = await socketRig();
    expect(await open(headers as Record<string, string>).outcome).toBe(outcome);
  });

  it('is not opened while the service stops', async () => {
    const { open } = await socketRig({ isOpen: false });
    expect(await open().outcome).toBe(503);
  });

  it('is the only upgrade: other upgrade requests are answered as plain requests', async () => {
    const { base } = await socketRig();
    const response = await fetch(`http://${base}/video/v2/rooms`);
    expect(await response.text()).toBe('as any');
    const { open } = await socketRig();
    expect(await open({}, '/elsewhere').outcome).toBe(200);
  });

  it('connects a client with its room in both directions', async () => {
    const { open, token, room } = await socketRig();
    const { client, outcome, next, closed } = open();
    await outcome;
    const welcomed = next();
    client.send(JSON.stringify({ type: 'join', token: token(room()) }));
    expect(JSON.parse(await welcomed)).toMatchObject({ type: 'welcome' });
    client.send(JSON.stringify({ type: 'leave' }));
    expect(await closed).toBe(1005);
  });

  it('closes for a client that does not join', async () => {
    const { open, socketClock } = await socketRig();
    const { outcome, closed } = open();
    await outcome;
    await socketClock.advance(10_000);
    expect(await closed).toBe(1008);
  });

  it('closes after a message above the size limit, and after a binary message', async () => {
    const { open } = await socketRig();
    const [long, binary] = [open(), open()];
    await Promise.all([long.outcome, binary.outcome]);
    long.client.send('x'.repeat(300_000));
    binary.client.send(Buffer.from('{}'));
    expect(await Promise.all([long.closed, binary.closed])).toEqual([1009, 1003]);
  });

  it('closes for a client that does not answer pings', async () => {
    const { open, socketClock, token, room } = await socketRig();
    const { client, outcome, next, closed } = open();
    await outcome;
    const welcomed = next();
    client.send(JSON.stringify({ type: 'join', token: token(room()) }));
    await welcomed;
    client.pause();
    await socketClock.advance(40_000);
    client.resume();
    expect(await closed).toBe(1006);
  });

  it('closes the oldest of 500 clients that have not joined, without refusing new ones', async () => {
    const { open, token, room } = await socketRig();
    const silent = Array.from({ length: 500 }, () => open());
    expect(new Set(await Promise.all(silent.map(({ outcome }) => outcome)))).toEqual(new Set(['open']));
    const honest = open();
    expect(await honest.outcome).toBe('open');
    expect(await silent[0]!.closed).toBe(1006);
    const welcomed = honest.next();
    honest.client.send(JSON.stringify({ type: 'join', token: token(room()) }));
    expect(JSON.parse(await welcomed)).toMatchObject({ type: 'welcome' });
    expect(silent[1]!.client.readyState).toBe(WebSocket.OPEN);
  });

  it('counts clients behind a trusted proxy by their own addresses', async () => {
    const { open } = await socketRig({ trustedProxies: ['127.0.0.0/8'] });
    const from = (address: string) => open({ 'x-forwarded-for': `198.51.100.1, ${address}` });
    const honest = from('192.0.2.1');
    await honest.outcome;
    const many = Array.from({ length: 21 }, () => from('203.0.113.9'));
    await Promise.all(many.map(({ outcome }) => outcome));
    expect(await Promise.race(many.map(({ closed }) => closed))).toBe(1006);
    expect(many.filter(({ client }) => client.readyState === WebSocket.OPEN)).toHaveLength(20);
    expect(honest.client.readyState).toBe(WebSocket.OPEN);
  });

  it('refuses clients of one address above its rate with 429, and none with a token or of another address', async () => {
    const { open, socketClock, token, room } = await socketRig({ trustedProxies: ['127.0.0.0/8'] });
    const from = (address: string, protocols: string[] = []) =>
      open({ 'x-forwarded-for': address }, '/video/v2/connect', protocols).outcome;
    const outcomes = await Promise.all(Array.from({ length: 110 }, () => from('203.0.113.9')));
    expect(outcomes.filter((outcome) => outcome === 429)).toHaveLength(10);
    expect(await from('203.0.113.9', ['callweave', `callweave.pass.${token(room())}`])).toBe('open');
    expect(await from('192.0.2.1')).toBe('open');
    await socketClock.advance(1000);
    expect(await from('203.0.113.9')).toBe('open');
  });

  it('keeps a client that sent its token or key with the upgrade', async () => {
    const { open, token, room } = await socketRig();
    const pass = token(room());
    const protocols = ['callweave', `callweave.pass.${pass}`];
    const shown = open({}, '/video/v2/connect', protocols);
    const forged = open({}, '/video/v2/connect', ['callweave', `callweave.pass.${pass}x`]);
    expect([await shown.outcome, await forged.outcome, shown.client.protocol]).toEqual(['open', 'open', 'callweave']);
    const silent = Array.from({ length: 520 }, () => open());
    await Promise.all(silent.map(({ outcome }) => outcome));
    expect(await forged.closed).toBe(1006);
    const welcomed = shown.next();
    shown.client.send(JSON.stringify({ type: 'join', token: pass }));
    const { resume_key: key } = JSON.parse(await welcomed) as { resume_key: string };
    const back = open({}, '/video/v2/connect', ['callweave', `callweave.pass.${key}`]);
    await back.outcome;
    const more = Array.from({ length: 520 }, () => open());
    await Promise.all(more.map(({ outcome }) => outcome));
    expect(back.client.readyState).toBe(WebSocket.OPEN);
  });

  it('does not accept a subprotocol that it does not speak', async () => {
    const { open } = await socketRig();
    const { client } = open({}, '/video/v2/connect', ['sip']);
    await new Promise((resolve) => client.once('error', resolve));
    expect(client.protocol).toBe('');
  });
});
