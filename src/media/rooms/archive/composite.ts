/**
 * Combines the recordings of a session into one file: all videos in a grid, all audio mixed; participants without video
 * have a tile with their name. Audio, video, and muxing are three runs of ffmpeg, so that none has to buffer one while
 * it waits for the other.
 */
import { chmod, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Ffmpeg, FfmpegRun } from '../ffmpeg.ts';
import type { Archive } from './archive.ts';
import { pictureGraph, soundGraph } from './filter-graph.ts';
import { CANVAS, seconds } from './layout.ts';
import { withTiles } from './name-tile.ts';
import { type PlacedFile, phonesOf, placed } from './placed.ts';

export interface CompositeParts {
  ffmpeg: Ffmpeg;
  folder: string;
  /** 0 to 1. */
  progress(share: number): void;
  /** Called with each run, so that it can be cancelled. Throws if it is. */
  began(run: FfmpegRun): void;
}

/** `mp4` plays anywhere; `webm` is for a single file and keeps the codecs where possible. */
const FORMATS = {
  mp4: {
    sound: ['-c:a', 'aac', '-b:a', '128k'],
    pictures: ['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '26', '-g', String(2 * CANVAS.framesPerSecond)],
    last: ['-movflags', '+faststart'],
  },
  webm: {
    sound: ['-c:a', 'libopus', '-b:a', '64k'],
    pictures: ['-c:v', 'libvpx', '-deadline', 'realtime', '-cpu-used', '8', '-b:v', '1500k'],
    last: [],
  },
} as const;

/** Approximate shares of the runs in the total time. */
const SOUND_SHARE = 0.1;
const PICTURES_SHARE = 0.85;

/** Prefix of unfinished files. */
const WORK = 'work.';

/** Returns the name of the file. */
export async function makeComposite(archive: Archive, parts: CompositeParts): Promise<string> {
  const { folder, progress } = parts;
  const kind = archive.isSingleFile ? 'webm' : 'mp4';
  const name = `session.${kind}`;
  // The ffmpeg of an earlier process of the service may still write its files, so that names differ.
  await removeWork(folder);
  const mark = `${WORK}${process.pid}`;
  const work = {
    graph: `${mark}.graph`,
    sound: `${mark}.sound.${kind}`,
    pictures: `${mark}.pictures.${kind}`,
    all: `${mark}.${kind}`,
  };
  const run = (args: readonly string[], share?: (ms: number) => number): Promise<{ ms: number }> => {
    const began = parts.ffmpeg.run(folder, args, (ms) => share && progress(share(ms)));
    parts.began(began);
    return began.done;
  };
  try {
    const files = await placed(archive.recordings, folder, (file) =>
      run(['-i', file, '-c', 'copy', '-f', 'null', '-']),
    );
    if (files.length === 0) throw new Error('there is no file that can be read');
    const totalMs = Math.max(...files.map(({ beginsMs, durationMs }) => beginsMs + durationMs));
    const { sound, pictures, last } = FORMATS[kind];
    const graph = async (text: string, output: readonly string[], share: (ms: number) => number, inputs: string[]) => {
      await writeFile(join(folder, work.graph), text, { mode: 0o600 });
      await run([...inputs, '-filter_complex_script', work.graph, '-map', '[out]', '-threads', '1', ...output], share);
    };
    const heard = files.filter(({ hasSound }) => hasSound);
    const seen = files.filter(({ pictures: shown }) => shown.length > 0);
    const made: string[] = [];
    if (heard.length > 0) {
      const output = [...sound, work.sound];
      await graph(soundGraph(heard), output, (ms) => (ms / totalMs) * SOUND_SHARE, heard.flatMap(inputOf));
      made.push(work.sound);
    }
    if (seen.length <= 1 && archive.isSingleFile) {
      const [only] = seen;
      if (only) {
        await run([...inputOf(only), '-map', '0:v', '-c', 'copy', work.pictures]);
        made.push(work.pictures);
      }
    } else {
      const share = (ms: number) => SOUND_SHARE + (ms / totalMs) * PICTURES_SHARE;
      const output = [...pictures, '-t', seconds(totalMs), work.pictures];
      // Cameras change their frame size, which the filters handle.
      const inputs = seen.flatMap((file) => ['-reinit_filter', '0', '-threads', '1', ...inputOf(file)]);
      const people = [...files, ...phonesOf(archive.phones ?? [], files)];
      const shown = await withTiles(people, { run, totalMs, nameFile: (index) => `${mark}.name${index}`, folder });
      await graph(pictureGraph(shown, totalMs), output, share, inputs);
      made.push(work.pictures);
    }
    const inputs = made.flatMap((file) => ['-i', file]);
    await run([...inputs, ...made.flatMap((_, index) => ['-map', String(index)]), '-c', 'copy', ...last, work.all]);
    await chmod(join(folder, work.all), 0o600);
    await rename(join(folder, work.all), join(folder, name));
    return name;
  } finally {
    await removeWork(folder);
  }
}

async function removeWork(folder: string): Promise<void> {
  for (const file of await readdir(folder)) {
    if (file.startsWith(WORK)) await rm(join(folder, file), { force: true });
  }
}

const inputOf = ({ beginsMs, file }: PlacedFile): string[] => ['-itsoffset', seconds(beginsMs), '-i', file];
