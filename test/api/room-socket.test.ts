/** The web socket of rooms: who may open one, and what closes it. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { startHttpServer } from '../../src/api/http-server.ts';
import { createRoomSocket } from '../../src/api/video/room-socket.ts';
import { systemClock } from '../../src/core/clock.ts';
import { silentLog } from '../../src/core/log.ts';
import { VirtualClock } from '../../src/testkit/virtual-clock.ts';
import { roomRig } from '../rooms/room-fixtures.ts';

async function socketRig({ isOpen = true } = {}) {
  const rooms = roomRig();
  const clock = new VirtualClock();
  const socket = createRoomSocket({
    clock,
    log: silentLog,
    origins: { corsOrigins: ['https://app.example'] },
    isOpen: () => isOpen,
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
  const open = (headers: Record<string, string> = {}, path = '/video/v2/connect') => {
    const client = new WebSocket(`ws://${base}${path}`, { headers });
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
  ])('with %s', async (_, headers, outcome) => {
    const { open } = await socketRig();
    expect(await open(headers as Record<string, string>).outcome).toBe(outcome);
  });

  it('is not open while the service stops', async () => {
    const { open } = await socketRig({ isOpen: false });
    expect(await open().outcome).toBe(503);
  });

  it('is the only upgrade: other requests for one are answered as any', async () => {
    const { base } = await socketRig();
    const response = await fetch(`http://${base}/video/v2/rooms`);
    expect(await response.text()).toBe('as any');
    const { open } = await socketRig();
    expect(await open({}, '/elsewhere').outcome).toBe(200);
  });

  it('carries a client into its room and back', async () => {
    const { open, token, room } = await socketRig();
    const { client, outcome, next, closed } = open();
    await outcome;
    const welcomed = next();
    client.send(JSON.stringify({ type: 'join', token: token(room()) }));
    expect(JSON.parse(await welcomed)).toMatchObject({ type: 'welcome' });
    client.send(JSON.stringify({ type: 'leave' }));
    expect(await closed).toBe(1005);
  });

  it('closes on who does not come in', async () => {
    const { open, socketClock } = await socketRig();
    const { outcome, closed } = open();
    await outcome;
    await socketClock.advance(10_000);
    expect(await closed).toBe(1008);
  });

  it('closes on what is too long, and on what is no text', async () => {
    const { open } = await socketRig();
    const [long, binary] = [open(), open()];
    await Promise.all([long.outcome, binary.outcome]);
    long.client.send('x'.repeat(300_000));
    binary.client.send(Buffer.from('{}'));
    expect(await Promise.all([long.closed, binary.closed])).toEqual([1009, 1003]);
  });

  it('closes on who does not answer', async () => {
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
});
