/**
 * The figures of the disk: what is free where the data are, and how much the recordings take. Files are counted in the
 * background, and seldom: there may be a hundred thousand of them.
 */
import { readdir, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../core/clock.ts';
import type { FigureSource, Reading } from '../core/figures.ts';

const RECOUNT_MS = 300_000;
/** Looked at together: more would take the threads that others read files with. */
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
      // A small folder is counted before it is read; nobody waits for a large one.
      void count().catch(() => undefined);
      await Promise.all([look('data', directory), look('recordings', recordings)]);
    },
    figures: [
      {
        name: 'disk_free_bytes',
        type: 'gauge',
        help: 'Bytes that the service may still write on the disk of this directory',
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
        help: 'Bytes of all recordings, counted every five minutes; absent: not counted yet',
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

/** A file may have been deleted meanwhile. */
const sizeOf = (path: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  );
