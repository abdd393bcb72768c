/**
 * Contract of every `RoomEngine`. The harness kills its engine on request, and gives the address of this machine for
 * media, if the engine carries media: then `media.ts` applies, and `phones.ts` and `recordings.ts` for engines with
 * telephones and recordings.
 */
import { describe, expect, it, onTestFinished } from 'vitest';
import type { EngineEvent, RoomEngine } from '../../../src/media/rooms/sfu.ts';
import { type MediaPlace, runRoomMediaContract } from './media.ts';
import { runRoomPhonesContract } from './phones.ts';
import { runRoomRecordingsContract } from './recordings.ts';

export interface RoomEngineHarness {
  engine: RoomEngine;
  /** Ends whatever carries the media, as a crash would. */
  kill(): void;
}

const SPEC = { quality: 'HD' } as const;
const GRANTS = { publish: ['audio', 'video'], subscribe: true } as const;

export function runRoomEngineContract(make: () => RoomEngineHarness, media?: MediaPlace): void {
  async function started() {
    const { engine, kill } = make();
    const events: { confNum: string; event: EngineEvent }[] = [];
    let restarts = 0;
    let tell: () => void = () => undefined;
    await engine.start({
      event: (confNum, event) => void events.push({ confNum, event }),
      restarted() {
        restarts++;
        tell();
      },
    });
    onTestFinished(() => engine.stop());
    return {
      ...{ engine, kill, events },
      restarts: () => restarts,
      restarted: () => new Promise<void>((resolve) => (tell = resolve)),
    };
  }

  describe('room engine contract', () => {
    it('runs the sessions that were opened and not ended', async () => {
      const { engine } = await started();
      expect(engine.listSessions()).toEqual([]);
      for (const confNum of ['1', '2']) engine.openSession({ ...SPEC, confNum });
      expect(engine.listSessions().sort()).toEqual(['1', '2']);
      engine.send('1', { type: 'end' });
      expect(engine.listSessions()).toEqual(['2']);
    });

    it('takes any order about people, also about those it does not know', async () => {
      const { engine } = await started();
      engine.openSession({ ...SPEC, confNum: '1' });
      for (const confNum of ['1', 'unknown']) {
        engine.send(confNum, { type: 'drop', participant: 'nobody' });
        engine.send(confNum, { type: 'mute', participant: 'nobody', source: 'audio', muted: true });
        engine.send(confNum, { type: 'admit', participant: 'a', grants: GRANTS, isPhone: false });
        engine.send(confNum, { type: 'admit', participant: 'a', grants: GRANTS, isPhone: false });
        engine.send(confNum, { type: 'set_audible', participants: ['a', 'nobody'] });
        engine.send(confNum, { type: 'drop', participant: 'a' });
        engine.send(confNum, { type: 'drop', participant: 'a' });
      }
      expect(engine.listSessions()).toEqual(['1']);
    });

    it('runs again after it died, without its sessions, and says so once', async () => {
      const { engine, kill, restarted, restarts } = await started();
      engine.openSession({ ...SPEC, confNum: '1' });
      const again = restarted();
      kill();
      await again;
      expect(engine.listSessions()).toEqual([]);
      engine.openSession({ ...SPEC, confNum: '1' });
      expect(engine.listSessions()).toEqual(['1']);
      expect(restarts()).toBe(1);
    });

    it('is stopped for good', async () => {
      const { engine, restarts } = await started();
      engine.openSession({ ...SPEC, confNum: '1' });
      await engine.stop();
      await engine.stop();
      expect(restarts()).toBe(0);
    });
  });

  if (!media) return;
  runRoomMediaContract(make, media);
  const { rtpLegs, recording } = make().engine.capabilities;
  if (rtpLegs) runRoomPhonesContract(make, media);
  if (recording) runRoomRecordingsContract(make, media);
}
