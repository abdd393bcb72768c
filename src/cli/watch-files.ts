/** Calls back when something below folders changes, and not for each of the events that saving a file makes. */
import { type FSWatcher, watch } from 'node:fs';
import { dirname } from 'node:path';
import { systemClock, type Timer } from '../core/clock.ts';
import { isFolder } from './find-files.ts';

const SETTLING_MS = 150;

/** Of a file, its folder is watched: editors replace files. Returns what ends it. */
export function watchFiles(paths: readonly string[], changed: () => void): () => void {
  let timer: Timer | undefined;
  const noted = (): void => {
    timer?.cancel();
    timer = systemClock.after(SETTLING_MS, changed);
  };
  const folders = new Set(paths.map((path) => (isFolder(path) ? path : dirname(path))));
  const watchers: FSWatcher[] = [...folders].map((folder) => watch(folder, { recursive: true }, noted));
  // A folder that goes away ends its watcher with an error: the next run of the command says so.
  for (const watcher of watchers) watcher.on('error', noted);
  return () => {
    timer?.cancel();
    for (const watcher of watchers) watcher.close();
  };
}
