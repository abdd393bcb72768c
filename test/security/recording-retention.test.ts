/** Recordings are deleted after the promised retention time. */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { silentLog } from '../../src/base/core/silent-log.ts';
import { VirtualClock } from '../../src/proof/testkit/virtual-clock.ts';
import { createRecordings } from '../../src/service/calls/recordings/recordings.ts';
import { startRetention } from '../../src/service/store/retention.ts';
import { openSqliteStore } from '../../src/service/store/sqlite/store.ts';
import { createMemoryStore } from '../memory-store.ts';

const DAY_MS = 86_400_000;

function stand(folder = '') {
  const directory = join(mkdtempSync(join(tmpdir(), 'callweave-recordings-')), folder);
  mkdirSync(join(directory, 'recordings'), { recursive: true });
  const { receipts, recordings, changes } = createMemoryStore();
  const clock = new VirtualClock(100 * DAY_MS);
  const passes: number[] = [];
  const store = {
    ...{ receipts, recordings, changes },
    async prune() {
      passes.push(clock.now());
      return { calls: 0, broadcasts: 0, deliveries: 0, urls: 0 };
    },
  };
  const keep = (recordingId: string, ageDays: number, state: 'completed' | 'failed' | 'open' = 'completed'): string => {
    const file = `recordings/${recordingId}.wav`;
    const path = join(directory, file);
    writeFileSync(path, 'sound');
    const createdMs = clock.now() - ageDays * DAY_MS;
    recordings.add({ recordingId, projectId: 'shop', callId: 'c', file, state: 'open', createdMs });
    if (state !== 'open') recordings.close(recordingId, { state, durationMs: 1 });
    return path;
  };
  const start = (log = silentLog) => startRetention({ store, clock, log, directory, callDays: 365, recordingDays: 7 });
  return { clock, directory, recordings, keep, start };
}

describe('old recordings', () => {
  it('are deleted, file and row, and no others', async () => {
    const { recordings, keep, start } = stand();
    const [old, failed, young, open] = [
      keep('old', 8),
      keep('failed', 8, 'failed'),
      keep('young', 6),
      keep('open', 8, 'open'),
    ];
    const stop = start();
    await vi.waitFor(
      () => expect([recordings.find('old'), recordings.find('failed')]).toEqual([undefined, undefined]),
      20_000,
    );
    stop();
    expect([old, failed, young, open].map(existsSync)).toEqual([false, false, true, true]);
    expect([recordings.find('young')?.state, recordings.find('open')?.state]).toEqual(['completed', 'open']);
  });

  it('keeps their row as long as their files cannot be deleted', async () => {
    const { directory, recordings, keep, start } = stand();
    keep('gone', 9);
    const stuck = 'recordings/stuck';
    mkdirSync(join(directory, stuck));
    recordings.add({ recordingId: 'stuck', projectId: 'shop', callId: 'c', file: stuck, state: 'open', createdMs: 1 });
    recordings.close('stuck', { state: 'completed', durationMs: 1 });
    const error = vi.fn();
    const stop = start({ ...silentLog, error });
    await vi.waitFor(() => expect(recordings.find('gone')).toBeUndefined(), 20_000);
    stop();
    expect(recordings.find('stuck')).toBeDefined();
    expect(error).toHaveBeenCalledWith('recording.not_deleted', expect.objectContaining({ recordingId: 'stuck' }));
  });

  it('are deleted in the copy of a data directory only, never in the original', async () => {
    const clock = new VirtualClock(100 * DAY_MS);
    const [original, copy] = ['original', 'copy'].map((name) =>
      join(mkdtempSync(join(tmpdir(), 'callweave-data-')), name),
    ) as [string, string];
    mkdirSync(join(original, 'recordings'), { recursive: true });
    const first = openSqliteStore({ file: join(original, 'callweave.db'), clock });
    const directory = original;
    const repair = async () => 0;
    const shelf = createRecordings({ store: first.recordings, clock, log: silentLog, directory, repair });
    const opened = shelf.open({ recordingId: 'r1', callId: 'c', projectId: 'shop' });
    expect(opened).toEqual({ file: 'recordings/r1.wav' });
    writeFileSync(join(original, 'recordings/r1.wav'), 'sound');
    shelf.close('r1', { durationMs: 1, failed: false });
    await first.close();
    cpSync(original, copy, { recursive: true });

    const second = openSqliteStore({ file: join(copy, 'callweave.db'), clock });
    const shelfOfCopy = createRecordings({ store: second.recordings, clock, log: silentLog, directory: copy, repair });
    expect(shelfOfCopy.find('shop', 'r1').path).toBe(join(copy, 'recordings/r1.wav'));
    await clock.advance(10 * DAY_MS);
    const parts = { store: second, clock, log: silentLog, directory: copy };
    const stop = startRetention({ ...parts, callDays: 1, recordingDays: 1 });
    await vi.waitFor(() => expect(second.recordings.find('r1')).toBeUndefined(), 20_000);
    stop();
    await second.close();
    expect([original, copy].map((data) => readdirSync(join(data, 'recordings')))).toEqual([['r1.wav'], []]);
  });

  it.each(['absolute', '../outside.wav', 'recordings/../../outside.wav', 'a link', 'a folder that is a link', '.'])(
    'are left alone outside the data directory: %s',
    async (name) => {
      const { clock, start, keep, recordings, directory } = stand('data');
      const outside = join(directory, '../outside.wav');
      writeFileSync(outside, 'of somebody else');
      keep('honest', 9);
      let file = name;
      if (name === 'absolute') file = outside;
      if (name === 'a link') {
        file = 'recordings/link.wav';
        symlinkSync(outside, join(directory, file));
      }
      if (name === 'a folder that is a link') {
        symlinkSync(join(directory, '..'), join(directory, 'recordings/folder'));
        file = 'recordings/folder/outside.wav';
      }
      const createdMs = clock.now() - 8 * DAY_MS;
      recordings.add({ recordingId: 'evil', projectId: 'shop', callId: 'c', file, state: 'open', createdMs });
      recordings.close('evil', { state: 'completed', durationMs: 1 });
      const warn = vi.fn();
      const stop = start({ ...silentLog, warn });
      await vi.waitFor(() => expect(recordings.find('evil')).toBeUndefined(), 20_000);
      stop();
      expect(warn).toHaveBeenCalledWith('recording.left_outside', { recordingId: 'evil', file });
      expect([existsSync(outside), existsSync(directory)]).toEqual([true, true]);
      expect([recordings.find('honest'), existsSync(join(directory, 'recordings/honest.wav'))]).toEqual([
        undefined,
        false,
      ]);
    },
  );
});
