/**
 * Timeline of a session for its archive: joins and leaves, speech, shared screens, chat, recordings. It is kept in
 * memory until the session is worth an archive, and after that in a file, line by line, so that a stop of the service
 * loses none of it.
 */
import { appendFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject } from '../../../base/core/json.ts';
import type { ReportedEvent, TimelineEvent } from '../session-ports.ts';
import type { Archive } from './archive.ts';

/** Name of the file while the session is active. */
const DRAFT = 'session.jsonl';
export const CHAT = 'chat.json';
export const METADATA = 'metadata.json';
/**
 * All files of a timeline, in the order in which a search must read them: the first one is deleted only after the others
 * are written.
 */
export const TEXTS = [DRAFT, CHAT, METADATA] as const;

const OWNER_ONLY = 0o600;

export interface LogEntry extends JsonObject {
  type: string;
  /** Time in ISO 8601. */
  at: string;
}

export class SessionLog {
  readonly #folder: string;
  readonly #failed: (error: unknown) => void;
  #early: LogEntry[] | undefined = [];
  #work: Promise<void> = Promise.resolve();

  constructor(folder: string, failed: (error: unknown) => void) {
    this.#folder = folder;
    this.#failed = failed;
  }

  add(entry: LogEntry): void {
    if (this.#early) this.#early.push(entry);
    else this.#write([entry]);
  }

  /** Writes the timeline to the file, with the entries so far. */
  keep(): void {
    const early = this.#early;
    if (!early) return;
    this.#early = undefined;
    this.#write(early);
  }

  #write(entries: readonly LogEntry[]): void {
    const lines = entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
    this.#work = this.#work
      .then(async () => {
        await mkdir(this.#folder, { recursive: true, mode: 0o700 });
        await appendFile(join(this.#folder, DRAFT), lines, { mode: OWNER_ONLY });
      })
      .catch((error: unknown) => this.#failed(error));
  }

  /** Resolves when all entries are written. */
  written(): Promise<void> {
    return this.#work;
  }
}

/** Creates chat and metadata files from the timeline. Returns their names. */
export async function finishLog(folder: string, archive: Archive, endedMs: number): Promise<Partial<Archive>> {
  const entries = await readDraft(join(folder, DRAFT));
  const chat = entries.filter(({ type }) => type === 'chat').map(({ type: _, ...line }) => line);
  const events = entries.filter(({ type }) => type !== 'chat');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const put = (name: string, content: JsonObject): Promise<void> =>
    writeFile(join(folder, name), `${JSON.stringify(content, undefined, 2)}\n`, { mode: OWNER_ONLY });
  const { confNum, projectId, roomId, room, beganMs, recordings } = archive;
  const about = { conf_num: confNum, app_id: projectId, room_id: roomId };
  if (chat.length > 0) await put(CHAT, { ...about, chat });
  await put(METADATA, {
    ...about,
    room: { name: room.name, owner_ref: room.ownerRef },
    ...{ began: iso(beganMs), ended: iso(endedMs) },
    recordings: recordings.map(({ file, participant, kind, startedAtMs, durationMs, problem }) => ({
      ...{ file, participant, kind, began: iso(startedAtMs) },
      ...(durationMs === undefined ? {} : { duration_ms: durationMs }),
      ...(problem === undefined ? {} : { problem }),
    })),
    events,
  });
  await rm(join(folder, DRAFT), { force: true });
  return chat.length > 0 ? { chat: CHAT, metadata: METADATA } : { metadata: METADATA };
}

/** A line that a crash truncated is skipped. */
async function readDraft(path: string): Promise<LogEntry[]> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  return text.split('\n').flatMap((line) => {
    try {
      return [JSON.parse(line) as LogEntry];
    } catch {
      return [];
    }
  });
}

/** Undefined if the event is not part of the timeline. Private messages are left out. */
export function entryOf(event: ReportedEvent | TimelineEvent, nowMs: number): LogEntry | undefined {
  const at = iso(nowMs);
  switch (event.type) {
    case 'joined': {
      const { id, name, userRef, role, isPhone } = event.participant;
      return { type: 'joined', at, participant: id, name, user_ref: userRef, role, phone: isPhone };
    }
    case 'left':
      return { type: 'left', at, participant: event.participant.id, reason: event.reason };
    case 'recording':
      return { type: 'recording', at, on: event.on, ...(event.by ? { by: event.by.id } : {}) };
    case 'published':
      return { type: 'published', at, participant: event.participant.id, source: event.source, on: event.on };
    case 'talking':
      return { type: 'talking', at, participant: event.participant.id, on: event.on };
    case 'caption': {
      const { id, name } = event.participant;
      return { type: 'caption', at, participant: id, name, text: event.text };
    }
    case 'chat': {
      if (event.to) return undefined;
      const { id, name, userRef } = event.from;
      return { type: 'chat', at, participant: id, name, user_ref: userRef, text: event.text };
    }
    default:
      return undefined;
  }
}

export const iso = (ms: number): string => new Date(ms).toISOString();
