/** The contract of engines for Janus, if it is installed, and tests specific to Janus. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../src/base/core/clock.ts';
import { EmbeddedRoomEngine } from '../../../src/media/rooms/embedded/engine.ts';
import { JanusRoomEngine } from '../../../src/media/rooms/janus/engine.ts';
import { JanusProgram } from '../../../src/media/rooms/janus/janus-program.ts';
import { runRoomEngineContract } from '../../contracts/rooms/engine.ts';
import { openMix } from '../../contracts/rooms/phones.ts';
import { program } from '../../programs.ts';
import { People, SyntheticRoom, VOICE } from '../peers/people.ts';
import { JANUS_ADDRESS as address } from './installed.ts';

const janus = program('janus');
const lines: string[] = [];

const started = (program = 'janus') => {
  const place = new JanusProgram({ program, host: address, ports: [23_000, 23_999], clock: systemClock });
  const log = (level: string, message: string, fields?: object) =>
    void lines.push(`${level} ${message} ${JSON.stringify(fields)}`);
  const towardsEngine = { host: address };
  const assistant = new EmbeddedRoomEngine({
    ...{ host: '127.0.0.180', port: 22_180, towardsEngine, clock: systemClock, log },
  });
  return { place, assistant, engine: new JanusRoomEngine({ places: [place], assistant, clock: systemClock, log }) };
};

describe.skipIf(janus.missing)(`janus${janus.why}`, () => {
  runRoomEngineContract(
    () => {
      const { place, engine } = started();
      return { engine, kill: () => void process.kill(place.processId!, 'SIGKILL') };
    },
    address === undefined ? undefined : { address, adaptsTo: 'loss', asksFor: 'once' },
  );

  it.skipIf(address === undefined)(
    'has the engine inside only while telephones are in, again when it died',
    async () => {
      const { engine, assistant } = started();
      const people = new People();
      const restarts: (readonly string[] | undefined)[] = [];
      let room: SyntheticRoom | undefined;
      await engine.start({
        event: (_conf, event) => room?.event(event),
        restarted: (lost) => void restarts.push(lost),
      });
      const mix = await openMix();
      onTestFinished(async () => {
        await Promise.all([people.stop(), engine.stop(), mix.close()]);
      });
      room = new SyntheticRoom(engine, people, { confNum: '1', address: address! });
      const ada = await room.enter('ada', { audio: VOICE });
      const ben = await room.enter('ben', { audio: VOICE });
      room.setAudible(ada, ben);
      await ben.untilReceived(ada, 'audio');
      expect([assistant.processId, assistant.listSessions()]).toEqual([undefined, []]);

      room.send({ type: 'attach_phones', at: mix.at });
      await mix.untilHeard();
      process.kill(assistant.processId!, 'SIGKILL');
      await expect.poll(() => restarts, { timeout: 10_000 }).toEqual([[]]);
      await mix.untilHeard();
      expect(room.events.filter((event) => event.type === 'connection' && event.state !== 'up')).toEqual([]);
      await ben.untilReceived(ada, 'audio');

      room.send({ type: 'detach_phones' });
      expect(assistant.listSessions()).toEqual([]);
    },
  );

  it('ends with the service, also when that is killed', async () => {
    const module = new URL('../../../src/media/rooms/janus/janus-program.ts', import.meta.url).href;
    const clock = new URL('../../../src/base/core/clock.ts', import.meta.url).href;
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
