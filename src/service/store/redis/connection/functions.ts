/** Loads the Redis functions if the server has none, or an older version. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Cluster, type Redis } from 'ioredis';
import type { RedisClient } from './redis-client.ts';

const SCRIPTS = join(import.meta.dirname, '../scripts');
/** Files of `scripts` by library. */
const LIBRARIES = {
  callweave_1: 'functions.lua',
  callweave_broadcasts_1: 'broadcasts.lua',
  callweave_shared_1: 'shared.lua',
  callweave_places_1: 'places.lua',
} as const;

const sources = new Map<string, string>();

function sourceOf(file: string): string {
  const source = sources.get(file) ?? readFileSync(join(SCRIPTS, file), 'utf8');
  sources.set(file, source);
  return source;
}

/** A newer version is kept: its functions are compatible with older programs. */
export async function loadFunctions(client: RedisClient): Promise<void> {
  const servers = client instanceof Cluster ? client.nodes('master') : [client];
  for (const server of servers) {
    for (const [library, file] of Object.entries(LIBRARIES)) {
      const source = sourceOf(file);
      const loaded = await loadedCode(server, library);
      if (loaded === source || (loaded !== undefined && versionOf(loaded) > versionOf(source))) continue;
      await server.call('FUNCTION', 'LOAD', 'REPLACE', source);
    }
  }
}

async function loadedCode(server: Redis, name: string): Promise<string | undefined> {
  const libraries = (await server.call('FUNCTION', 'LIST', 'LIBRARYNAME', name, 'WITHCODE')) as unknown[][];
  const library = libraries[0];
  const at = library?.indexOf('library_code') ?? -1;
  return at < 0 ? undefined : String(library![at + 1]);
}

const versionOf = (code: string): number => Number(/^-- version: (\d+)$/m.exec(code)?.[1] ?? 0);
