/** Janus over the contract of engines, where it is installed; and what holds for it alone. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../src/core/clock.ts';
import { JanusRoomEngine } from '../../../src/rooms/janus/engine.ts';
import { JanusProgram } from '../../../src/rooms/janus/janus-program.ts';
import { runRoomEngineContract } from '../../contracts/rooms/engine.ts';
import { program } from '../../programs.ts';
import { JANUS_ADDRESS as address } from './installed.ts';

const janus = program('janus');
const lines: string[] = [];

const started = (program = 'janus') => {
  const place = new JanusProgram({ program, host: address, ports: [23_000, 23_999], clock: systemClock });
  const log = (level: string, message: string, fields?: object) =>
    void lines.push(`${level} ${message} ${JSON.stringify(fields)}`);
  return { place, engine: new JanusRoomEngine({ places: [place], clock: systemClock, log }) };
};

describe.skipIf(janus.missing)(`janus${janus.why}`, () => {
  runRoomEngineContract(
    () => {
      const { place, engine } = started();
      return { engine, kill: () => void process.kill(place.processId!, 'SIGKILL') };
    },
    address === undefined ? undefined : { address },
  );

  it('ends with the service, also when that is killed', async () => {
    const module = new URL('../../../src/rooms/janus/janus-program.ts', import.meta.url).href;
    const clock = new URL('../../../src/core/clock.ts', import.meta.url).href;
    const script = `
      import { JanusProgram } from '${module}';
      import { systemClock } from '${clock}';
      const place = new JanusProgram({ program: 'janus', ports: [23_000, 23_999], clock: systemClock });
      await place.open();
      console.log(place.processId);
      setInterval(() => undefined, 1000);`;
    const service = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [pid] = (await once(service.stdout, 'data')) as [Buffer];
    const isRunning = (): boolean => existsSync(`/proc/${Number(pid)}`);
    expect(isRunning()).toBe(true);
    service.kill('SIGKILL');
    await expect.poll(isRunning, { timeout: 5000 }).toBe(false);
  });

  it('carries no media, and says why, where the program is not there', async () => {
    const { engine } = started('no-such-janus');
    await engine.start({ event: () => undefined, restarted: () => undefined });
    onTestFinished(() => engine.stop());
    expect(engine.state).toEqual({
      media: 'none',
      why: 'no-such-janus: there is no program no-such-janus: install Janus',
    });
  });
});
