/** The functions that run inside the server: `functions.lua`, loaded where the server has no version of them or an older one. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Cluster, type Redis } from 'ioredis';
import type { RedisClient } from './redis-client.ts';

const LIBRARY = 'callweave_1';

let source: string | undefined;

/** A newer version stays: its functions do what older programs expect. */
export async function loadFunctions(client: RedisClient): Promise<void> {
  source ??= readFileSync(join(import.meta.dirname, 'functions.lua'), 'utf8');
  const servers = client instanceof Cluster ? client.nodes('master') : [client];
  for (const server of servers) {
    const loaded = await loadedCode(server);
    if (loaded === source || (loaded !== undefined && versionOf(loaded) > versionOf(source))) continue;
    await server.call('FUNCTION', 'LOAD', 'REPLACE', source);
  }
}

async function loadedCode(server: Redis): Promise<string | undefined> {
  const libraries = (await server.call('FUNCTION', 'LIST', 'LIBRARYNAME', LIBRARY, 'WITHCODE')) as unknown[][];
  const library = libraries[0];
  const at = library?.indexOf('library_code') ?? -1;
  return at < 0 ? undefined : String(library![at + 1]);
}

const versionOf = (code: string): number => Number(/^-- version: (\d+)$/m.exec(code)?.[1] ?? 0);
