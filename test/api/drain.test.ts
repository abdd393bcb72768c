/**
 * Draining: the service begins nothing new, active calls and sessions continue, and the administrator can cancel it.
 */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/core/json.ts';
import { createMemoryStore } from '../memory-store.ts';
import { ADMIN, administered, administratorOf } from './admin-client.ts';
import { createBroadcast, reportOf } from './broadcast-rig.ts';
import type { ApiRig } from './rig.ts';
import { NUMBERS, openRig } from './rigs.ts';
import { enterRoom } from './room-clients.ts';

const healthOf = async (rig: ApiRig): Promise<[number, unknown]> => {
  const { status, body } = await rig.request('GET', '/health', undefined, { as: false });
  return [status, body['status']];
};

const called = async (rig: ApiRig): Promise<string> => {
  const caller = rig.call('1000');
  await rig.pass(100);
  return caller.state;
};

describe('a drain', () => {
  it('refuses calls and dial requests, and is alive but not ready, until it is cancelled', async () => {
    const { rig, admin } = await administered();
    const id = await rig.dial();
    await rig.pass(2000);
    expect((await admin('POST', '/drain')).body).toMatchObject({ state: 'draining', live_calls: 1, live_sessions: 0 });
    expect(await called(rig)).toBe('ended');
    expect((await rig.request('POST', '/voice/v1/call', { from: '1000', to: '2000' })).status).toBe(503);
    expect(await healthOf(rig)).toEqual([503, 'draining']);
    expect((await rig.request('GET', '/health/live', undefined, { as: false })).status).toBe(200);
    expect((await admin('GET', '/drain')).body).toMatchObject({ since: '2026-03-02T08:30:02.000Z' });
    // The live call is steered as before.
    expect(
      (
        await rig.request('PUT', `/voice/v1/call/${id}/play`, {
          text: 'Still here',
          voice: 'female',
          language: 'en-US',
        })
      ).status,
    ).toBe(200);
    expect((await admin('DELETE', '/drain')).body).toMatchObject({ state: 'open' });
    expect([await called(rig), await healthOf(rig)]).toEqual(['ringing', [200, 'ok']]);
  });

  it('logs the active calls and sessions each minute', async () => {
    const { rig, admin } = await administered();
    await rig.dial();
    await rig.pass(2000);
    await admin('POST', '/drain');
    await rig.pass(125_000);
    const lines = rig.logLines.filter(({ message }) => message === 'service.draining');
    expect(lines.map(({ fields }) => fields)).toEqual(
      Array.from({ length: 3 }, () => ({ liveCalls: 1, liveSessions: 0 })),
    );
    await admin('DELETE', '/drain');
    await rig.pass(125_000);
    expect(rig.logLines.filter(({ message }) => message === 'service.draining')).toHaveLength(3);
  });

  it('admits participants to active sessions of rooms, and begins no new session', async () => {
    const { rig, admin } = await administered();
    const roomOf = async (name: string): Promise<string> => {
      const { body } = await rig.request('POST', '/video/v2/rooms', { name, owner_ref: 'acme' });
      return String((body['room'] as JsonObject)['room_id']);
    };
    const [busy, empty] = [await roomOf('busy'), await roomOf('empty')];
    await enterRoom(rig, busy, 'moderator', 'Ada');
    expect((await admin('POST', '/drain')).body).toMatchObject({ live_sessions: 1 });
    await enterRoom(rig, busy, 'participant', 'Ben');
    const token = { name: 'Cleo', role: 'participant', user_ref: 'cleo' };
    expect((await rig.request('POST', `/video/v2/rooms/${empty}/tokens`, token)).status).toBe(503);
    await admin('DELETE', '/drain');
    await enterRoom(rig, empty, 'participant', 'Cleo');
  });
});

describe('broadcasts', () => {
  it('waits while the service drains, and resumes when the drain is cancelled', async () => {
    const { rig, admin } = await administered();
    await admin('POST', '/drain');
    const { app_instance: id } = await createBroadcast(rig);
    await rig.pass(60_000);
    expect(rig.farEnds).toEqual([]);
    await admin('DELETE', '/drain');
    await rig.pass(20_000);
    expect((await reportOf(rig, String(id)))['state']).toBe('completed');
  });

  it('resumes after a restart if it was waiting', async () => {
    const store = createMemoryStore();
    const first = await openRig({ config: NUMBERS + ADMIN, store });
    await administratorOf(first)('POST', '/drain');
    const { app_instance: id } = await createBroadcast(first);
    await first.pass(5000);
    await first.close();
    const second = await openRig({ config: NUMBERS + ADMIN, store, directory: first.directory });
    Object.assign(second.callees, first.callees);
    await second.pass(20_000);
    expect((await reportOf(second, String(id)))['state']).toBe('completed');
  });
});

describe('a service that is stopped', () => {
  const live = async (more: string) => {
    const { rig, admin } = await administered({ config: `${NUMBERS}${more}` });
    await rig.dial();
    await rig.pass(2000);
    let isStopped = false;
    const stop = () => {
      void rig.app.stop().then(() => {
        isStopped = true;
      });
    };
    return { rig, admin, stop, isStopped: () => isStopped };
  };

  it('waits for live calls for limits.drain, then ends them', async () => {
    const { rig, admin, stop, isStopped } = await live('limits: { drain: 2h }\n');
    stop();
    await rig.pass(7_190_000);
    expect([isStopped(), await healthOf(rig), rig.farEnds[0]!.state]).toEqual([false, [503, 'stopping'], 'connected']);
    expect((await admin('DELETE', '/drain')).status).toBe(409);
    await rig.pass(20_000);
    expect([isStopped(), rig.farEnds[0]!.state]).toEqual([true, 'ended']);
  });

  it('stops as soon as the last call has ended', async () => {
    const { rig, stop, isStopped } = await live('limits: { drain: 2h }\n');
    stop();
    await rig.pass(60_000);
    rig.farEnds[0]!.hangUp();
    await rig.pass(5000);
    expect(isStopped()).toBe(true);
    expect(rig.eventNames()).toContain('disconnected');
  });

  it('ends live calls at once on the second request', async () => {
    const { rig, stop, isStopped } = await live('limits: { drain: 24h }\n');
    stop();
    await rig.pass(1000);
    rig.app.endCallsNow();
    await rig.pass(5000);
    expect([isStopped(), rig.farEnds[0]!.state]).toEqual([true, 'ended']);
  });

  it('takes the drain time from a reload', async () => {
    const { rig, admin, stop, isStopped } = await live('limits: { drain: 24h }\n');
    rig.rewrite((text) => text.replace('drain: 24h', 'drain: 10s'));
    expect((await admin('POST', '/reload')).body['changed']).toEqual(['limits.drain']);
    stop();
    await rig.pass(15_000);
    expect(isStopped()).toBe(true);
  });
});
