/**
 * Mixes that are open to an outside party, in the main thread: the thread that has the socket of each
 * (`mix-socket.ts`). It is a thread with legs of the mix; when it dies, another one takes over. A mix may be open to
 * several parties.
 */
import { randomBytes } from 'node:crypto';
import { KEY_BYTES, type MixAddress, type MixFarEnd } from '../../toolbox/audio/mix-frame.ts';
import type { MediaThread } from './media-thread.ts';
import type { MixDirectory } from './mix-directory.ts';

interface Opening {
  openingId: string;
  mixId: string;
  key: string;
  far: MixFarEnd | undefined;
  /** Absent until there is one. */
  thread?: MediaThread;
  opened(address: MixAddress): void;
}

export class OpenMixes {
  readonly #directory: MixDirectory<MediaThread>;
  readonly #leastBusy: () => MediaThread | undefined;
  readonly #openings = new Map<string, Opening>();
  #opened = 0;

  constructor(directory: MixDirectory<MediaThread>, leastBusy: () => MediaThread | undefined) {
    this.#directory = directory;
    this.#leastBusy = leastBusy;
  }

  /** `opened` is called again with another address when a thread dies. */
  open(
    mixId: string,
    opened: (address: MixAddress) => void,
    { key = randomBytes(KEY_BYTES).toString('hex'), far }: { key?: string; far?: MixFarEnd } = {},
  ): { close(): void } {
    const openingId = `outside ${++this.#opened}`;
    const opening: Opening = { openingId, mixId, opened, key, far };
    this.#openings.set(openingId, opening);
    this.#place(opening);
    return { close: () => this.#close(openingId) };
  }

  #place(opening: Opening): void {
    const { openingId, mixId, key, far } = opening;
    const thread = this.#directory.threadOf(mixId) ?? this.#leastBusy();
    if (!thread) return;
    opening.thread = thread;
    thread.send({ type: 'open_mix', mixId, openingId, key, ...(far && { far }) });
    this.#directory.join({ mediaId: openingId, thread }, mixId);
  }

  /** The thread has bound the socket. */
  isOpen(openingId: string, port: number): void {
    const opening = this.#openings.get(openingId);
    opening?.opened({ port, key: opening.key });
  }

  threadDied(thread: MediaThread): void {
    for (const opening of this.#openings.values()) {
      if (opening.thread !== thread) continue;
      delete opening.thread;
      this.#directory.leave(opening.openingId);
    }
    this.placeAll();
  }

  /** Places those that have no thread; to be called when there is a new one. */
  placeAll(): void {
    for (const opening of this.#openings.values()) if (!opening.thread) this.#place(opening);
  }

  #close(openingId: string): void {
    const opening = this.#openings.get(openingId);
    if (!opening) return;
    this.#openings.delete(openingId);
    this.#directory.leave(openingId);
    opening.thread?.send({ type: 'close_mix', openingId });
  }
}
