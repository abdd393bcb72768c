/**
 * A call of a function as the bytes that are sent (RESP, https://redis.io/docs/latest/develop/reference/protocol-spec/):
 * written once, also where it is sent again. Bytes are not on the heap of JavaScript, so that what is kept for a while
 * (`tails.ts`) costs the garbage collector nothing.
 */
import { Command } from 'ioredis';

export interface EncodedCall {
  readonly name: string;
  /** The shards whose keys the function uses. */
  readonly tags: readonly string[];
  readonly bytes: Buffer;
}

export function encodedCall(name: string, tags: readonly string[], args: readonly string[]): EncodedCall {
  const words = ['fcall', name, `${tags.length}`, ...tags, ...args];
  let text = `*${words.length}\r\n`;
  for (const word of words) text += `$${Buffer.byteLength(word)}\r\n${word}\r\n`;
  return { name, tags, bytes: Buffer.from(text) };
}

/** Its keys are known to ioredis, its other arguments are in its bytes alone. */
export class EncodedCommand extends Command {
  readonly #bytes: Buffer;

  constructor({ name, tags, bytes }: EncodedCall) {
    super('fcall', [name, `${tags.length}`, ...tags], { replyEncoding: 'utf8' });
    this.#bytes = bytes;
  }

  override toWritable(): Buffer {
    return this.#bytes;
  }
}
