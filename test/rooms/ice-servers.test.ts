/** STUN and TURN servers in `welcome`: as configured, or with credentials that expire. */
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { redact } from '../../src/base/core/log.ts';
import { readConfigText } from '../../src/config.ts';
import { iceServersFor } from '../../src/media/rooms/ice-servers.ts';
import { roomRig } from './room-fixtures.ts';

const read = (servers: object[]) =>
  readConfigText(JSON.stringify({ video: { ice_servers: servers } }), '/tmp/callweave.yaml', { TURN: 'the-secret' });

describe('configured servers', () => {
  it('are sent with the same credentials for all, or none', () => {
    const { config } = read([
      { urls: ['stun:stun.example:3478'] },
      { urls: ['turns:turn.example:5349?transport=tcp'], username: 'ada', credential: { env: 'TURN' } },
    ]);
    expect(iceServersFor(config!.video.iceServers, { participant: 'p-1', nowMs: 0 })).toEqual([
      { urls: ['stun:stun.example:3478'] },
      { urls: ['turns:turn.example:5349?transport=tcp'], username: 'ada', credential: 'the-secret' },
    ]);
  });

  it('are sent with expiring credentials of one participant for a shared secret, as coturn computes them', () => {
    const { config } = read([{ urls: ['turn:turn.example'], shared_secret: { env: 'TURN' }, lifetime: '1h' }]);
    const [server] = iceServersFor(config!.video.iceServers, { participant: 'p-1', nowMs: 1_700_000_000_999 });
    expect(server!.username).toBe('1700003600:p-1');
    const script = 'printf %s "$0" | openssl dgst -sha1 -hmac the-secret -binary | base64';
    expect(server!.credential).toBe(execFileSync('sh', ['-c', script, '1700003600:p-1'], { encoding: 'utf8' }).trim());
  });

  it('are valid for four hours by default', () => {
    const { config } = read([{ urls: ['turn:turn.example'], shared_secret: 's' }]);
    expect(config!.video.iceServers[0]!.lifetimeMs).toBe(4 * 3_600_000);
  });

  it('are logged without their secrets', () => {
    const { config } = read([{ urls: ['turn:turn.example'], shared_secret: { env: 'TURN' } }]);
    const [server] = iceServersFor(config!.video.iceServers, { participant: 'p-1', nowMs: 0 });
    const written = JSON.stringify(redact({ config: config!.video, server }));
    expect(written).not.toContain('the-secret');
    expect(written).not.toContain(server!.credential);
  });
});

describe('welcome', () => {
  it('contains the servers with credentials for each participant, and new ones after a resume', async () => {
    const rig = roomRig({ iceServers: [{ urls: ['turn:turn.example'], sharedSecret: 's', lifetimeMs: 60_000 }] });
    const room = rig.room();
    const [ada, ben] = [rig.join(room), rig.join(room)];
    const serverOf = (client: typeof ada) => (client.last('welcome')!['ice_servers'] as { username: string }[])[0]!;
    const before = serverOf(ada);
    expect(serverOf(ben).username).not.toBe(before.username);
    ada.break();
    await rig.clock.advance(10_000);
    const again = rig.client().say({ type: 'resume', resume_key: ada.last('welcome')!['resume_key'] as string });
    expect(Number.parseInt(serverOf(again).username, 10)).toBe(Number.parseInt(before.username, 10) + 10);
  });

  it('lists the participants who are talking', () => {
    const rig = roomRig();
    const room = rig.room();
    const ada = rig.join(room, 'moderator');
    expect(ada.last('welcome')).toMatchObject({ talking: [], ice_servers: [] });
    const { confNum } = rig.sessions.find('shop', room.roomId)!;
    rig.engine.report(confNum, { type: 'talking', participant: ada.id, on: true });
    expect(rig.join(room).last('welcome')!['talking']).toEqual([ada.id]);
  });
});
