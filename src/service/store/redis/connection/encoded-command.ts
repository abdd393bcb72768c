/**
 * A function call encoded as RESP bytes (https://redis.io/docs/latest/develop/reference/protocol-spec/): encoded once,
 * even if it is sent again. Buffers are outside the JavaScript heap, so that retained writes (`recent-writes.ts`) do not burden
 * the garbage collector.
 */
import { Command } from 'ioredis';

export interface EncodedCommand {
  readonly name: string;
  /** Shards whose keys the function uses. */
  readonly tags: readonly string[];
  readonly bytes: Buffer;
}

export function encodeCommand(name: string, tags: readonly string[], args: readonly string[]): EncodedCommand {
  const words = ['fcall', name, `${tags.length}`, ...tags, ...args];
  let text = `*${words.length}\r\n`;
  for (const word of words) text += `$${Buffer.byteLength(word)}\r\n${word}\r\n`;
  return { name, tags, bytes: Buffer.from(text) };
}

/** ioredis knows only the keys; the other arguments exist only in the bytes. */
export class RawCommand extends Command {
  readonly #bytes: Buffer;

  constructor({ name, tags, bytes }: EncodedCommand) {
    super('fcall', [name, `${tags.length}`, ...tags], { replyEncoding: 'utf8' });
    this.#bytes = bytes;
  }

  override toWritable(): Buffer {
    return this.#bytes;
  }
}
