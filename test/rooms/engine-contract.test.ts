/** The engines of rooms over the contract of their port; and the engine inside where it cannot work. */
import { createSocket } from 'node:dgram';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { EmbeddedRoomEngine } from '../../src/rooms/embedded/engine.ts';
import { SimulatedRoomEngine } from '../../src/rooms/simulated-engine.ts';
import { runRoomEngineContract } from '../contracts/rooms/engine.ts';

const HOST = '127.0.0.179';
const PORT = 22_179;
const lines: string[] = [];

const embedded = (port = PORT) =>
  new EmbeddedRoomEngine({
    ...{ host: HOST, port, clock: systemClock },
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
    { address: HOST, isAdaptive: true },
  );

  it('starts no process before the first session', async () => {
    const engine = embedded();
    await engine.start({ event: () => undefined, restarted: () => undefined });
    expect([engine.processId, engine.state]).toEqual([undefined, { media: 'idle' }]);
    await engine.stop();
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
