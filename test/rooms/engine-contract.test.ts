/** The engines of rooms over the contract of their port; and the engine inside where it cannot work. */
import { createSocket } from 'node:dgram';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Clock, systemClock } from '../../src/base/core/clock.ts';
import { EmbeddedRoomEngine } from '../../src/media/rooms/embedded/engine.ts';
import { SimulatedRoomEngine } from '../../src/media/rooms/simulated-engine.ts';
import { VirtualClock } from '../../src/proof/testkit/virtual-clock.ts';
import { runRoomEngineContract } from '../contracts/rooms/engine.ts';
import { CAMERA, People, SyntheticRoom, VOICE } from './peers/people.ts';

const HOST = '127.0.0.179';
const PORT = 22_179;
const lines: string[] = [];

const embedded = (port = PORT, clock: Clock = systemClock) =>
  new EmbeddedRoomEngine({
    ...{ host: HOST, port, clock, writes: [realpathSync(tmpdir())] },
    log: (_level, message) => void lines.push(message),
  });

describe('simulated', () => {
  runRoomEngineContract(() => {
    const engine = new SimulatedRoomEngine();
    return { engine, kill: () => engine.die() };
  });
});

describe('embedded', () => {
  runRoomEngineContract(
    () => {
      const engine = embedded();
      return { engine, kill: () => void process.kill(engine.processId!, 'SIGKILL') };
    },
    { address: HOST, adaptsTo: 'estimates', asksFor: 'until it comes' },
  );

  it('lives, and carries the others, whatever one client sends in place of media and of messages', async () => {
    const engine = embedded();
    const people = new People();
    onTestFinished(async () => {
      await people.stop();
      await engine.stop();
    });
    let room: SyntheticRoom | undefined;
    let restarts = 0;
    await engine.start({ event: (_conf, event) => room?.event(event), restarted: () => void restarts++ });
    room = new SyntheticRoom(engine, people, { confNum: '1', address: HOST });
    const [ada, ben, mallory] = [
      await room.enter('ada', { audio: VOICE, video: CAMERA }),
      await room.enter('ben', { audio: VOICE }),
      await room.enter('mallory', { audio: VOICE, video: CAMERA }),
    ];
    room.setAudible(ada, ben, mallory);
    await mallory.untilReceived(ada, 'video');
    for (const seed of [1, 2, 3]) await mallory.order({ type: 'garbage', seed, packets: 2000 });
    for (let message = 0; message < 10_000; message++) {
      const sdp = `v=0\r\na=ice-ufrag:${message}\r\na=candidate:1 1 UDP 1 ${HOST} 1 typ host`;
      mallory.say({ type: 'pub.offer', sdp, sources: { 0: 'audio' } });
      mallory.say({ type: 'sub.answer', version: message, sdp });
    }
    await ben.untilReceived(ada, 'video', ({ layer }) => layer === 0);
    await ada.untilReceived(ben, 'audio');
    expect([restarts, engine.state]).toEqual([0, { media: 'running' }]);
  });

  it('starts no process before the first session', async () => {
    const engine = embedded();
    await engine.start({ event: () => undefined, restarted: () => undefined });
    expect([engine.processId, engine.state]).toEqual([undefined, { media: 'idle' }]);
    await engine.stop();
  });

  it.skipIf(!existsSync('/usr/bin/setpriv'))(
    'runs without capabilities, with no way to get any, and with nothing of our environment',
    async () => {
      process.env['CALLWEAVE_TEST_SECRET'] = 'hidden';
      const engine = embedded();
      await engine.start({ event: () => undefined, restarted: () => undefined });
      onTestFinished(async () => {
        delete process.env['CALLWEAVE_TEST_SECRET'];
        await engine.stop();
      });
      engine.openSession({ confNum: '1', quality: 'HD' });
      await expect.poll(() => engine.state, { timeout: 10_000 }).toEqual({ media: 'running' });
      const of = (file: string): string => readFileSync(`/proc/${engine.processId}/${file}`, 'utf8');
      expect(of('status')).toMatch(/^NoNewPrivs:\t1$/m);
      expect(of('status')).toMatch(/^CapEff:\t0+$/m);
      expect(of('environ')).not.toContain('CALLWEAVE_TEST_SECRET');
      expect(of('cmdline').split('\0')).toEqual(expect.arrayContaining(['--permission']));
    },
  );

  it('is killed and started again when it does not answer, and let be as long as it does', async () => {
    const clock = new VirtualClock();
    const engine = embedded(PORT, clock);
    let restarts = 0;
    await engine.start({ event: () => undefined, restarted: () => void restarts++ });
    onTestFinished(() => engine.stop());
    engine.openSession({ confNum: '1', quality: 'HD' });
    await expect.poll(() => engine.state, { timeout: 10_000 }).toEqual({ media: 'running' });
    const first = engine.processId!;
    const nowhere = { sdp: '', rtp: { host: HOST, port: 1 } };
    for (let second = 0; second < 20; second++) {
      await clock.advance(1000);
      // Answers arrive in the order of the requests, so this one is the last.
      await new Promise((resolve) => engine.webphones.open('none', nowhere, resolve));
    }
    expect([engine.processId, restarts]).toEqual([first, 0]);
    process.kill(first, 'SIGSTOP');
    await clock.advance(6000);
    await expect.poll(() => engine.processId, { timeout: 10_000 }).toBeUndefined();
    await clock.advance(1000);
    expect(engine.processId).not.toBe(first);
    expect(restarts).toBe(1);
  });

  it('carries no media, and says why, where its port is taken; the next session tries again', async () => {
    const engine = embedded(PORT + 1);
    const taken = createSocket('udp4');
    await new Promise<void>((resolve) => taken.bind(PORT + 1, HOST, resolve));
    await engine.start({ event: () => undefined, restarted: () => undefined });
    onTestFinished(() => engine.stop());
    engine.openSession({ confNum: '1', quality: 'HD' });
    await expect.poll(() => engine.state, { timeout: 10_000 }).toMatchObject({ media: 'none' });
    expect(engine.state).toMatchObject({ why: expect.stringContaining('EADDRINUSE') });
    await expect.poll(() => engine.processId, { timeout: 10_000 }).toBeUndefined();
    await new Promise<void>((resolve) => taken.close(() => resolve()));
    engine.openSession({ confNum: '2', quality: 'HD' });
    await expect.poll(() => engine.state, { timeout: 10_000 }).toEqual({ media: 'running' });
  });
});
