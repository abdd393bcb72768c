/**
 * Reads a stream of events (`text/event-stream`, HTML §9.2) from the pieces in which it arrives: `EventSource` cannot send the
 * headers that the service asks for. Neighbour: `stream.ts`.
 *
 * Invariants
 *  - pieces may be cut anywhere, also within a line end or, by the decoder, within a letter;
 *  - an event without data is none, but its `id` counts.
 */
export interface StreamEvent {
  event: string;
  data: string;
  /** The last id that the stream named; empty before the first. */
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

  /** How long to wait before connecting again, where the service said so. */
  get retryMs(): number | undefined {
    return this.#retryMs;
  }

  /** The events that are whole now. */
  read(piece: string): StreamEvent[] {
    const text = this.#rest + piece;
    // A line feed may follow in the next piece.
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
