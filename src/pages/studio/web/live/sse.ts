/**
 * Parser for `text/event-stream` (HTML §9.2) in chunks. `EventSource` cannot send the headers that the service needs.
 * Used by `stream.ts`.
 *
 * Invariants
 * - chunks can be split anywhere, also inside a line end; the decoder handles split characters;
 * - an event without data is not reported, but its `id` is kept.
 */
export interface StreamEvent {
  event: string;
  data: string;
  /** Last event id of the stream. Empty before the first. */
  id: string;
}

export class EventStreamReader {
  #rest = '';
  #event = '';
  #data: string[] = [];
  #id = '';
  #retryMs: number | undefined;

  get lastId(): string {
    return this.#id;
  }

  /** Reconnection delay, if the service sent one. */
  get retryMs(): number | undefined {
    return this.#retryMs;
  }

  /** Returns the events completed by this chunk. */
  read(piece: string): StreamEvent[] {
    const text = this.#rest + piece;
    // The line feed of a CRLF may be in the next chunk.
    const usable = text.endsWith('\r') ? text.slice(0, -1) : text;
    const lines = usable.split(/\r\n|\r|\n/);
    this.#rest = lines.pop()! + text.slice(usable.length);
    return lines.flatMap((line) => this.#line(line) ?? []);
  }

  #line(line: string): StreamEvent | undefined {
    if (line === '') return this.#dispatch();
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'event') this.#event = value;
    else if (field === 'data') this.#data.push(value);
    else if (field === 'id' && !value.includes('\0')) this.#id = value;
    else if (field === 'retry' && /^\d+$/.test(value)) this.#retryMs = Number(value);
    return undefined;
  }

  #dispatch(): StreamEvent | undefined {
    const event = this.#event || 'message';
    const data = this.#data;
    this.#event = '';
    this.#data = [];
    return data.length === 0 ? undefined : { event, data: data.join('\n'), id: this.#id };
  }
}
