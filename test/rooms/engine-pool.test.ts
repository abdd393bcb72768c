/** Engine processes: sharing between projects, and the effects of the end of one. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { moduleBeside } from '../../src/base/core/module-beside.ts';
import { IDLE_MS } from '../../src/media/rooms/embedded/engine.ts';
import { EmbeddedEnginePool } from '../../src/media/rooms/embedded/engine-pool.ts';
import { VirtualClock } from '../../src/proof/testkit/virtual-clock.ts';

const NOWHERE = { sdp: '', rtp: { host: '127.0.0.1', port: 1 } };
const WITHIN = { timeout: 20_000 };

async function poolOf(processes: number, port = 22_100) {
  const clock = new VirtualClock();
  const lost: string[][] = [];
  const child = moduleBeside(import.meta.url, 'peers/bare-engine');
  let pinged = (): void => undefined;
  const log = (_level: string, name: string): void => {
    if (name === 'rooms.engine_warned') pinged();
  };
  const pool = new EmbeddedEnginePool({ processes, host: '127.0.0.1', port, clock, child, log });
  await pool.start({
    event: () => undefined,
    restarted(sessions = []) {
      lost.push([...sessions]);
      for (const confNum of sessions) open(confNum);
    },
  });
  onTestFinished(() => pool.stop());
  /** `a1`: of project `a`. */
  const open = (confNum: string): void => pool.openSession({ confNum, project: confNum[0]!, quality: 'HD' });
  const running = async (confNum: string): Promise<number> => {
    open(confNum);
    await expect.poll(() => pool.processOf(confNum), WITHIN).toBeDefined();
    return pool.processOf(confNum)!;
  };
  /** Time passes while one process answers: it answers in real time, and is killed when it does not. */
  const pass = async (ms: number): Promise<void> => {
    for (let leftMs = ms; leftMs > 0; leftMs -= 1000) {
      const answered = new Promise<void>((resolve) => {
        pinged = resolve;
      });
      await clock.advance(1000);
      await answered;
    }
  };
  return { pool, clock, lost, open, running, pass };
}

describe('processes of the embedded engine', () => {
  it('are shared by the sessions of a project, and by as few projects as possible', async () => {
    const { pool, running } = await poolOf(4);
    const [a, b, c, d] = [await running('a1'), await running('b1'), await running('c1'), await running('d1')];
    expect(new Set([a, b, c]).size).toBe(3);
    expect([a, b, c]).toContain(d);
    expect([await running('a2'), await running('b2')]).toEqual([a, b]);
    pool.send('c1', { type: 'end' });
    expect(await running('e1')).toBe(c);
  });

  it('are separate for webphones', async () => {
    const { pool, running } = await poolOf(3);
    const rooms = [await running('a1'), await running('b1')];
    pool.webphones.open('phone', NOWHERE, () => undefined);
    await expect.poll(() => pool.processIds.length, WITHIN).toBe(3);
    const phones = pool.processIds.find((pid) => !rooms.includes(pid));
    expect(phones).toBeDefined();
  });

  it('is one for all if the limit is one', async () => {
    const { pool, running } = await poolOf(1);
    const a = await running('a1');
    expect(await running('b1')).toBe(a);
    pool.webphones.open('phone', NOWHERE, () => undefined);
    expect(pool.processIds).toEqual([a]);
  });

  it('are restarted one by one: sessions of the others, and phones, continue', async () => {
    const { pool, clock, lost, running } = await poolOf(3);
    const [a, b] = [await running('a1'), await running('b1')];
    const phone: string[] = [];
    pool.webphones.open('phone', NOWHERE, ({ type }) => phone.push(type));
    process.kill(a, 'SIGKILL');
    await expect.poll(() => pool.processOf('a1'), WITHIN).toBeUndefined();
    await clock.advance(1000);
    await expect.poll(() => pool.processOf('a1'), WITHIN).toBeDefined();
    expect([lost, pool.processOf('b1'), phone]).toEqual([[['a1']], b, []]);
  });

  it('are stopped after a minute without use, and restarted for the next session', async () => {
    const { pool, clock, running, open, pass } = await poolOf(3);
    const a = await running('a1');
    await pass(2 * IDLE_MS);
    expect(pool.processOf('a1')).toBe(a);
    pool.send('a1', { type: 'end' });
    await pass(IDLE_MS - 1000);
    expect(pool.processIds).toEqual([a]);
    await clock.advance(1000);
    expect([pool.processIds, pool.state]).toEqual([[], { media: 'idle' }]);
    // The one before still has the port.
    open('a2');
    await expect.poll(() => pool.state, WITHIN).toEqual({ media: 'running' });
    expect(pool.processOf('a2')).not.toBe(a);
  });

  it('are replaced by another if one cannot work, such as with its port in use', async () => {
    const { pool, lost, open } = await poolOf(3, 22_109);
    open('a1');
    await expect.poll(() => lost, WITHIN).toEqual([['a1']]);
    await expect.poll(() => pool.state, WITHIN).toEqual({ media: 'running' });
    open('b1');
    expect(pool.processOf('b1')).toBe(pool.processOf('a1'));
  });
});
