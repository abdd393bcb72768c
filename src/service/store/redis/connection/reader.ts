/** Calls read-only functions, in one shard or in all. Neighbour: `command-groups.ts` for functions that write. */
import { Cluster } from 'ioredis';
import { loadFunctions } from './functions.ts';
import type { RedisClient } from './redis-client.ts';
import { lacksFunctions, passing } from './server-errors.ts';
import { TAGS } from './shards.ts';

export class Reader {
  readonly #client: RedisClient;

  constructor(client: RedisClient) {
    this.#client = client;
  }

  /** Throws `WriteError` while the server is unavailable. */
  async ask<Reply>(name: string, tags: string | readonly string[], args: readonly string[]): Promise<Reply> {
    const keys = [tags].flat();
    return this.run(async (client) => {
      try {
        return (await client.fcall(name, keys.length, ...keys, ...args)) as Reply;
      } catch (error) {
        if (!lacksFunctions(error)) throw error;
        await loadFunctions(client);
        return (await client.fcall(name, keys.length, ...keys, ...args)) as Reply;
      }
    });
  }

  /** Asks all shards: returns one reply, or in a cluster one per shard. */
  async askAll<Reply>(name: string, args: readonly string[]): Promise<Reply[]> {
    if (!(this.#client instanceof Cluster)) return [await this.ask<Reply>(name, TAGS, args)];
    return Promise.all(TAGS.map((tag) => this.ask<Reply>(name, tag, args)));
  }

  async run<Made>(work: (client: RedisClient) => Promise<Made>): Promise<Made> {
    return passing(() => work(this.#client));
  }
}
