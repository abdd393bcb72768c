/** Watches folders and calls back once for the several events of a saved file. */
import { type FSWatcher, watch } from 'node:fs';
import { dirname } from 'node:path';
import { systemClock, type Timer } from '../base/core/clock.ts';
import { isFolder } from './find-files.ts';

const SETTLING_MS = 150;

/** For a file, watches its folder, because editors replace files. Returns a function that stops it. */
export function watchFiles(paths: readonly string[], changed: () => void): () => void {
  let timer: Timer | undefined;
  const noted = (): void => {
    timer?.cancel();
    timer = systemClock.after(SETTLING_MS, changed);
  };
  const folders = new Set(paths.map((path) => (isFolder(path) ? path : dirname(path))));
  const watchers: FSWatcher[] = [...folders].map((folder) => watch(folder, { recursive: true }, noted));
  // A removed folder fails its watcher; the next run of the command reports it.
  for (const watcher of watchers) watcher.on('error', noted);
  return () => {
    timer?.cancel();
    for (const watcher of watchers) watcher.close();
  };
}
