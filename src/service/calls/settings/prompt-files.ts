/**
 * Audio files of prompts from the admin API, named by the hash of their content, so that a call that plays one is not
 * affected when the prompt is replaced. Unused files are removed at the next start.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Fault } from '../../../base/core/fault.ts';
import { isObject, type Json } from '../../../base/core/json.ts';
import { CallError } from '../call-error.ts';
import type { SettingStore } from './setting-store.ts';

/** Converts uploaded audio to a WAV as calls play it; implemented in `speech/`. */
export type ImportAudio = (
  bytes: Uint8Array,
) => Promise<{ wav: Buffer; durationMs: number; fault?: undefined } | { wav?: undefined; fault: Fault }>;

export type PromptFiles = ReturnType<typeof createPromptFiles>;

const OURS = /^[0-9a-f]{64}\.wav$/;

export function createPromptFiles(directory: string, importAudio: ImportAudio) {
  return {
    /** Throws `audio_malformed`. */
    async keep(bytes: Uint8Array): Promise<{ file: string; durationMs: number }> {
      const { wav, durationMs, fault } = await importAudio(bytes).then((made) => ({ durationMs: 0, ...made }));
      if (!wav) throw new CallError('audio_malformed', fault?.message ?? 'the sound cannot be used');
      const file = join(directory, `${createHash('sha256').update(wav).digest('hex')}.wav`);
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      // Renamed after the write, so that no incomplete file is ever used.
      writeFileSync(`${file}.part`, wav, { mode: 0o600 });
      renameSync(`${file}.part`, file);
      return { file, durationMs };
    },
    sweep(used: readonly string[]): void {
      const kept = new Set(used.map((file) => basename(file)));
      for (const name of namesIn(directory)) {
        if ((OURS.test(name) && !kept.has(name)) || name.endsWith('.part')) rmSync(join(directory, name));
      }
    },
  };
}

/**
 * Wraps a store so that prompts refer to their files by name, which keeps a copy of the data directory self-contained.
 * Older versions stored paths.
 */
export function soundsByName(store: SettingStore, directory: string): SettingStore {
  return {
    ...store,
    put: ({ value, ...setting }) =>
      store.put({ ...setting, value: setting.kind === 'prompt' ? withFile(value, basename) : value }),
    list(kind) {
      const settings = store.list(kind);
      if (kind !== 'prompt') return settings;
      return settings.map((each) => ({
        ...each,
        value: withFile(each.value, (file) => join(directory, basename(file))),
      }));
    },
  };
}

const withFile = (value: Json, change: (file: string) => string): Json =>
  isObject(value) && typeof value['file'] === 'string' ? { ...value, file: change(value['file']) } : value;

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
