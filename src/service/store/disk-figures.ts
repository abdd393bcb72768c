/**
 * Metrics of the disk: free space in the data directory, and size of the recordings. Files are counted in the
 * background every few minutes, because there may be a hundred thousand.
 */
import { readdir, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../base/core/clock.ts';
import type { FigureSource, Reading } from '../../base/core/figures.ts';

const RECOUNT_MS = 300_000;
/** Kept low, to leave threads of the pool for other file access. */
const FILES_AT_ONCE = 2;

interface Disk {
  free: number;
  size: number;
}

export function diskFigures(directory: string, clock: Clock): FigureSource {
  const recordings = join(directory, 'recordings');
  const disks = new Map<string, Disk>();
  let recordingBytes: number | undefined;
  let countedMs = Number.NEGATIVE_INFINITY;
  let isCounting = false;

  const look = async (name: string, path: string): Promise<void> => {
    const { bavail, blocks, bsize } = await statfs(path);
    disks.set(name, { free: bavail * bsize, size: blocks * bsize });
  };

  const count = async (): Promise<void> => {
    if (isCounting || clock.monotonicMs() - countedMs < RECOUNT_MS) return;
    isCounting = true;
    try {
      recordingBytes = await bytesBelow(recordings);
    } finally {
      isCounting = false;
      countedMs = clock.monotonicMs();
    }
  };

  const ofDisks = (key: keyof Disk): Reading[] =>
    [...disks].map(([name, disk]) => ({ labels: { directory: name }, value: disk[key] }));

  return {
    async refresh() {
      // Not awaited: a small folder is counted before the metrics are read, a large one later.
      void count().catch(() => undefined);
      await Promise.all([look('data', directory), look('recordings', recordings)]);
    },
    figures: [
      {
        name: 'disk_free_bytes',
        type: 'gauge',
        help: 'Free bytes for the service on the disk of this directory',
        labels: ['directory'],
        read: () => ofDisks('free'),
      },
      {
        name: 'disk_size_bytes',
        type: 'gauge',
        help: 'Size of the disk of this directory',
        labels: ['directory'],
        read: () => ofDisks('size'),
      },
      {
        name: 'recordings_bytes',
        type: 'gauge',
        help: 'Bytes of all recordings, counted every five minutes; absent before the first count',
        read: () => recordingBytes,
      },
    ],
  };
}

async function bytesBelow(directory: string): Promise<number> {
  const entries = await readdir(directory, { withFileTypes: true, recursive: true });
  const paths = entries.flatMap((entry) => (entry.isFile() ? join(entry.parentPath, entry.name) : []));
  let total = 0;
  for (let first = 0; first < paths.length; first += FILES_AT_ONCE) {
    const sizes = await Promise.all(paths.slice(first, first + FILES_AT_ONCE).map(sizeOf));
    for (const size of sizes) total += size;
  }
  return total;
}

/** The file may have been deleted meanwhile. */
const sizeOf = (path: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  );
