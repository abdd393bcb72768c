/** What people said is not kept for longer than was promised to them. */
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { silentLog } from '../../src/core/log.ts';
import { createMemoryStore } from '../../src/store/memory/store.ts';
import { startRetention } from '../../src/store/retention.ts';
import { VirtualClock } from '../../src/testkit/virtual-clock.ts';

const DAY_MS = 86_400_000;

function stand() {
  const directory = mkdtempSync(join(tmpdir(), 'callweave-recordings-'));
  const { recordings } = createMemoryStore();
  const clock = new VirtualClock(100 * DAY_MS);
  const passes: number[] = [];
  const store = {
    recordings,
    async forget() {
      passes.push(clock.now());
      return { calls: 0, broadcasts: 0, deliveries: 0, urls: 0 };
    },
  };
  const keep = (recordingId: string, ageDays: number, state: 'completed' | 'failed' | 'open' = 'completed'): string => {
    const file = join(directory, `${recordingId}.wav`);
    writeFileSync(file, 'sound');
    const createdMs = clock.now() - ageDays * DAY_MS;
    recordings.add({ recordingId, projectId: 'shop', callId: 'c', file, state: 'open', createdMs });
    if (state !== 'open') recordings.close(recordingId, { state, durationMs: 1 });
    return file;
  };
  const start = (log = silentLog) => startRetention({ store, clock, log, callDays: 365, recordingDays: 7 });
  return { clock, directory, recordings, keep, start };
}

describe('recordings', () => {
  it('are deleted, file and row, when they are too old, and no others', async () => {
    const { recordings, keep, start } = stand();
    const [old, failed, young, open] = [
      keep('old', 8),
      keep('failed', 8, 'failed'),
      keep('young', 6),
      keep('open', 8, 'open'),
    ];
    const stop = start();
    await vi.waitFor(() => expect([recordings.find('old'), recordings.find('failed')]).toEqual([undefined, undefined]));
    stop();
    expect([old, failed, young, open].map(existsSync)).toEqual([false, false, true, true]);
    expect([recordings.find('young')?.state, recordings.find('open')?.state]).toEqual(['completed', 'open']);
  });

  it('are remembered as long as their files cannot be deleted', async () => {
    const { directory, recordings, keep, start } = stand();
    keep('gone', 9);
    const stuck = join(directory, 'stuck');
    mkdirSync(stuck);
    recordings.add({ recordingId: 'stuck', projectId: 'shop', callId: 'c', file: stuck, state: 'open', createdMs: 1 });
    recordings.close('stuck', { state: 'completed', durationMs: 1 });
    const error = vi.fn();
    const stop = start({ ...silentLog, error });
    await vi.waitFor(() => expect(recordings.find('gone')).toBeUndefined());
    stop();
    expect(recordings.find('stuck')).toBeDefined();
    expect(error).toHaveBeenCalledWith('recording.not_deleted', expect.objectContaining({ recordingId: 'stuck' }));
  });
});
