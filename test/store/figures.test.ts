/** Metrics of the store and of the disk. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { silentLog } from '../../src/base/core/silent-log.ts';
import { WriteError } from '../../src/base/core/write-error.ts';
import { VirtualClock } from '../../src/proof/testkit/virtual-clock.ts';
import { diskFigures } from '../../src/service/store/disk-figures.ts';
import { storeFigures } from '../../src/service/store/store-figures.ts';
import { createWriteBuffer } from '../../src/service/store/write-buffer.ts';
import { WriteHealth } from '../../src/service/store/write-health.ts';
import { countedIn, readFigure } from '../figures.ts';
import { createMemoryStore } from '../memory-store.ts';

it('counts the stored writes', async () => {
  const store = createMemoryStore();
  onTestFinished(() => store.close());
  const buffer = createWriteBuffer({ callStore: store.calls, writes: store.writes, log: silentLog });
  const figures = storeFigures(store, buffer);
  const before = countedIn(figures, 'store_commits_total')['ok'] ?? 0;
  await store.writes.probe();
  expect(countedIn(figures, 'store_commits_total')).toEqual({ ok: Number(before) + 1 });
  expect(readFigure(figures, 'store_writable')).toEqual({ '': 1 });
});

it('reports a store that is not writable, until it is again', () => {
  const writes = new WriteHealth(new VirtualClock());
  const figures = storeFigures({ writes }, { bufferedCalls: 3 } as ReturnType<typeof createWriteBuffer>);
  writes.failed(new WriteError('disk_full'));
  expect(countedIn(figures, 'store_commits_total')).toEqual({ failed: 1 });
  expect(readFigure(figures, 'store_writable')).toEqual({ '': 0 });
  expect(readFigure(figures, 'store_calls_buffered')).toEqual({ '': 3 });
  writes.succeeded();
  expect(readFigure(figures, 'store_writable')).toEqual({ '': 1 });
});

it('reports free space, and counts recordings at most every five minutes', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'callweave-disk-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  mkdirSync(join(directory, 'recordings/rooms'), { recursive: true });
  const write = (name: string, bytes: number) =>
    writeFileSync(join(directory, 'recordings', name), Buffer.alloc(bytes));
  write('a.wav', 1000);
  write('rooms/b.webm', 500);
  const clock = new VirtualClock();
  const figures = diskFigures(directory, clock);
  const bytes = async () => {
    await figures.refresh!();
    return readFigure(figures, 'recordings_bytes')[''];
  };
  await expect.poll(bytes).toBe(1500);
  const free = readFigure(figures, 'disk_free_bytes');
  const size = readFigure(figures, 'disk_size_bytes');
  expect(Object.keys(free).sort()).toEqual(['data', 'recordings']);
  expect(free['data']).toBeGreaterThan(0);
  expect(size['data']).toBeGreaterThanOrEqual(Number(free['data']));
  write('c.wav', 250);
  await clock.advance(299_000);
  expect(await bytes()).toBe(1500);
  await clock.advance(1000);
  await expect.poll(bytes).toBe(1750);
});
