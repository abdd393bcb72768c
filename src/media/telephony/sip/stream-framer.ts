/**
 * Splits a byte stream into SIP messages by Content-Length (RFC 3261 §18.3), however it was segmented.
 * Holds at most one message of `LIMITS.messageBytes`; scans the head once per chunk, from where it stopped; after an
 * error the stream has no known boundary and must be closed.
 */
import { LIMITS } from './parser.ts';

export type StreamItem =
  | { kind: 'message'; bytes: Buffer }
  /** Two CRLF between messages: answered with one (RFC 5626 §3.5.1). */
  | { kind: 'ping' }
  /** `head`: head of the broken message, if it can be answered. */
  | { kind: 'broken'; reason: string; head?: Buffer };

const CONTENT_LENGTH = /\r\n(?:content-length|l)[ \t]*:(?:[ \t]|\r\n[ \t])*(\d{1,9})[ \t]*(?=\r\n)/i;
const END_OF_HEAD = '\r\n\r\n';

export class StreamFramer {
  #held: Buffer = Buffer.alloc(0);
  #searched = 0;
  /** Length of the first message, once its head is complete. */
  #wanted: number | undefined;

  /** Number of bytes of an incomplete message. */
  get pendingBytes(): number {
    return this.#held.length;
  }

  push(chunk: Buffer): StreamItem[] {
    this.#held = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    const frames: StreamItem[] = [];
    for (let frame = this.#next(); frame; frame = this.#next()) {
      frames.push(frame);
      if (frame.kind === 'broken') break;
    }
    return frames;
  }

  #next(): StreamItem | undefined {
    if (this.#wanted === undefined) {
      if (this.#skipBlank()) return { kind: 'ping' };
      const headEnd = this.#held.indexOf(END_OF_HEAD, this.#searched, 'latin1');
      if (headEnd < 0) {
        this.#searched = Math.max(0, this.#held.length - END_OF_HEAD.length + 1);
        return this.#held.length > LIMITS.messageBytes ? { kind: 'broken', reason: 'head too large' } : undefined;
      }
      const head = this.#held.toString('latin1', 0, headEnd + 2);
      const length = CONTENT_LENGTH.exec(head)?.[1];
      // §20.14: mandatory on streams; without it the next message cannot be found.
      if (length === undefined) {
        return { kind: 'broken', reason: 'no Content-Length', head: this.#held.subarray(0, headEnd + 2) };
      }
      const wanted = headEnd + END_OF_HEAD.length + Number(length);
      if (wanted > LIMITS.messageBytes) return { kind: 'broken', reason: 'message too large' };
      this.#wanted = wanted;
    }
    if (this.#held.length < this.#wanted) return undefined;
    const bytes = this.#held.subarray(0, this.#wanted);
    this.#held = this.#held.subarray(this.#wanted);
    this.#wanted = undefined;
    this.#searched = 0;
    return { kind: 'message', bytes };
  }

  /** Drops line ends between messages; true for a pair of them, which requests an answer. */
  #skipBlank(): boolean {
    if (this.#held.indexOf(END_OF_HEAD, 0, 'latin1') === 0) {
      this.#held = this.#held.subarray(END_OF_HEAD.length);
      return true;
    }
    // A single line end may be the first half of a pair, so that more bytes are awaited.
    while (this.#held.length > 2 && this.#held[0] === 0x0d && this.#held[1] === 0x0a && this.#held[2] !== 0x0d) {
      this.#held = this.#held.subarray(2);
    }
    return false;
  }
}
