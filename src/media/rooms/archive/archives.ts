/**
 * Archives of sessions: opened with the first recorded file or the first chat line, and closed when the session has
 * ended and its files are complete. `session-log.ts` keeps the timeline, `transcoder.ts` creates files for viewing.
 *
 * Invariants
 *  - files that an archive names are in the folder of its session, and only those can be downloaded;
 *  - an archive that was open when the service stopped is closed at the next start, with what was written;
 *  - an archive never disturbs its session: write errors are logged, and the data is left out.
 */
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock, Timer } from '../../../base/core/clock.ts';
import { resolvesBelow } from '../../../base/core/data-path.ts';
import type { Ids } from '../../../base/core/ids.ts';
import { defined } from '../../../base/core/json.ts';
import type { Log } from '../../../base/core/log.ts';
import type { VideoRoom } from '../room.ts';
import { RoomError } from '../room-error.ts';
import type { ReportedEvent, TimelineEvent } from '../session-ports.ts';
import type { SessionQuery } from '../session-query.ts';
import type { EngineEvent } from '../sfu.ts';
import { type Archive, type ArchivePage, type ArchiveStore, filesOf, type Transcoding } from './archive.ts';
import { entryOf, finishLog, iso, SessionLog, TEXTS } from './session-log.ts';

export interface ArchivesParts {
  store: ArchiveStore;
  clock: Clock;
  ids: Ids;
  log: Log;
  /** Folder of recordings of rooms. */
  directory: string;
  /** Events for the application. */
  report(archive: Archive, event: ArchiveEvent): void;
  /** Returns the initial transcoding state of recordings. */
  work(): Transcoding;
  /** The archive is closed, and may have work left. */
  closed(archive: Archive): void;
  /** Stops all work on the archive of a session. */
  removed(confNum: string): Promise<void>;
}

export type ArchiveEvent =
  | { type: 'recorded' }
  | { type: 'recording_failed'; participant: string; why: string }
  | { type: 'transcoded' };

type ComingOrGoing = Extract<ReportedEvent, { type: 'joined' | 'left' }>;

interface Open {
  archive: Archive;
  log: SessionLog;
  isKept: boolean;
  /** Names of participants. */
  names: Map<string, string>;
  wasRecorded: boolean;
  /** Participants who are talking now. */
  talking: Set<string>;
  endedMs?: number;
  /** Closes the archive even if files are still incomplete. */
  timer?: Timer;
}

/** Time after the end of a session in which recordings become complete. */
const SETTLE_MS = 5000;
const PER_BATCH = 50;

export class Archives {
  readonly #parts: ArchivesParts;
  readonly #open = new Map<string, Open>();
  readonly #closing = new Set<Promise<void>>();

  constructor(parts: ArchivesParts) {
    this.#parts = parts;
  }

  /** Records an event of a session. */
  record(session: { confNum: string; room: VideoRoom }, event: ReportedEvent | TimelineEvent): void {
    // Feedback may arrive after the end, and is not part of the archive.
    if (event.type === 'feedback') return;
    const nowMs = this.#parts.clock.now();
    const open = this.#open.get(session.confNum) ?? this.#start(session, nowMs);
    if (event.type === 'over') {
      this.#over(open, nowMs);
      return;
    }
    if (event.type === 'talking') {
      if (event.on) open.talking.add(event.participant.id);
      else open.talking.delete(event.participant.id);
      // Speech is of use only together with a recording.
      if (!open.isKept) return;
    }
    if (event.type === 'joined' || event.type === 'left') this.#recordName(open, event, nowMs);
    const entry = entryOf(event, nowMs);
    if (entry) open.log.add(entry);
    if (event.type === 'recording') open.wasRecorded = true;
    if (entry?.type === 'chat' || entry?.type === 'caption') this.#keep(open);
  }

  #recordName({ archive, names, isKept }: Open, { type, participant }: ComingOrGoing, nowMs: number): void {
    const { id, name, isPhone } = participant;
    if (type === 'joined') names.set(id, name);
    if (!isPhone) return;
    archive.phones ??= [];
    const found = archive.phones.find((phone) => phone.participant === id);
    if (type === 'joined') archive.phones.push({ participant: id, name, fromMs: nowMs });
    else if (found) found.toMs = nowMs;
    if (isKept) this.#put(archive);
  }

  #start({ confNum, room }: { confNum: string; room: VideoRoom }, nowMs: number): Open {
    const { ids, log } = this.#parts;
    const { projectId, roomId, name, ownerRef, settings } = room;
    const archive: Archive = {
      ...{ archiveId: ids.next('archive'), projectId, roomId, confNum, room: { name, ownerRef } },
      ...{ beganMs: nowMs, atMs: nowMs, state: 'open', recordings: [], isSingleFile: settings.single_file_recording },
      ...{ transcoding: { state: 'none' }, transcoded: [] },
    };
    const failed = (error: unknown): void => log.error('archive.not_written', { confNum, error });
    const open: Open = {
      archive,
      log: new SessionLog(this.folderOf(confNum), failed),
      ...{ isKept: false, names: new Map(), wasRecorded: false, talking: new Set<string>() },
    };
    this.#open.set(confNum, open);
    return open;
  }

  folderOf(confNum: string): string {
    return join(this.#parts.directory, confNum);
  }

  #keep(open: Open): void {
    if (open.isKept) return;
    open.isKept = true;
    const at = iso(this.#parts.clock.now());
    for (const participant of open.talking) open.log.add({ type: 'talking', at, participant, on: true });
    open.log.keep();
    this.#put(open.archive);
  }

  #put(archive: Archive): void {
    try {
      this.#parts.store.put(archive);
    } catch (error) {
      this.#parts.log.error('archive.not_kept', { confNum: archive.confNum, error });
    }
  }

  /** Records an event of the engine about files. */
  engineEvent(confNum: string, event: EngineEvent): void {
    const open = this.#open.get(confNum);
    if (!open) return;
    const { archive, log } = open;
    if (event.type === 'recording_began') {
      const { file, participant, kind, sources, startedAtMs } = event;
      const name = open.names.get(participant);
      archive.recordings.push(defined({ file, participant, name, kind, sources, startedAtMs }));
      this.#keep(open);
    } else if (event.type === 'recorded') {
      const { durationMs, pictures } = event;
      const found = archive.recordings.find(({ file }) => file === event.file);
      if (found) {
        Object.assign(found, { durationMs, pictures });
        // The process that writes the file had survived after all.
        delete found.problem;
      }
    } else if (event.type === 'recording_failed') {
      const { participant, why } = event;
      const found = archive.recordings.find(({ file }) => file === event.file);
      if (found) found.problem = why;
      log.add({ type: 'recording_failed', at: iso(this.#parts.clock.now()), participant, why });
      this.#parts.log.error('recording.room_failed', { confNum, participant, why });
      this.#parts.report(archive, { type: 'recording_failed', participant, why });
    } else return;
    if (open.isKept) this.#put(archive);
    this.#closeWhenWhole(open);
  }

  /** The engine crashed: its files end where they are. `lost`: only the files of these sessions; default: all. */
  engineRestarted(lost?: readonly string[]): void {
    for (const { archive } of this.#open.values()) {
      if (lost?.includes(archive.confNum) === false) continue;
      for (const each of archive.recordings) {
        if (each.durationMs === undefined) each.problem ??= 'it was cut off';
      }
    }
  }

  #over(open: Open, nowMs: number): void {
    open.endedMs = nowMs;
    if (!open.isKept && !open.wasRecorded) {
      this.#open.delete(open.archive.confNum);
      return;
    }
    open.timer = this.#parts.clock.after(SETTLE_MS, () => this.#close(open));
    this.#closeWhenWhole(open);
  }

  #closeWhenWhole(open: Open): void {
    const { recordings } = open.archive;
    if (open.endedMs === undefined || (open.wasRecorded && recordings.length === 0)) return;
    const isWhole = recordings.every(({ durationMs, problem }) => durationMs !== undefined || problem !== undefined);
    if (isWhole) this.#close(open);
  }

  #close(open: Open): void {
    const { archive, log, endedMs } = open;
    open.timer?.cancel();
    if (!this.#open.delete(archive.confNum) || !open.isKept) return;
    this.#follow(log.written().then(() => this.#finish(archive, endedMs!)));
  }

  #follow(work: Promise<void>): void {
    const closing: Promise<void> = work.finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }

  async #finish(archive: Archive, endedMs: number): Promise<void> {
    const { store, clock, log, closed, report, work } = this.#parts;
    const { confNum, recordings } = archive;
    try {
      const files = await finishLog(this.folderOf(confNum), archive, endedMs).catch((error: unknown) => {
        log.error('archive.not_written', { confNum, error });
        return {};
      });
      const transcoding: Transcoding = recordings.length > 0 ? work() : { state: 'none' };
      const state = transcoding.state === 'queued' ? 'work' : 'done';
      const finished: Archive = { ...archive, ...files, atMs: clock.now(), state, transcoding };
      store.close(finished);
      if (recordings.length > 0) report(finished, { type: 'recorded' });
      closed(finished);
    } catch (error) {
      log.error('archive.not_kept', { confNum, error });
    }
  }

  /** At the start: closes archives that an earlier process left open, and resumes pending work. */
  async recover(): Promise<void> {
    for (const archive of this.#parts.store.unfinished()) {
      if (archive.state === 'open') await this.#finish(archive, this.#parts.clock.now());
      else this.#parts.closed(archive);
    }
  }

  list(query: SessionQuery): ArchivePage {
    return this.#parts.store.list(query);
  }

  /** Returns the path of a file that the archive names. Throws a `RoomError`. */
  async pathOf(projectId: string, confNum: string, file: string): Promise<string> {
    const archive = this.#parts.store.find(projectId, confNum);
    const path = join(this.folderOf(confNum), file);
    const isNamed = archive !== undefined && archive.state !== 'open' && filesOf(archive).includes(file);
    if (!isNamed || (await resolvesBelow(this.#parts.directory, path)) !== true) {
      throw new RoomError('archive_file_unknown', 'there is no such file');
    }
    return path;
  }

  /** Deletes archives that were closed before `beforeMs`, with their files. Returns their number. */
  async forget(beforeMs: number): Promise<number> {
    const { store, log } = this.#parts;
    let gone = 0;
    for (;;) {
      const old = store.olderThan(beforeMs, PER_BATCH);
      const before = gone;
      for (const { confNum } of old) {
        try {
          await this.remove(confNum);
          gone++;
        } catch (error) {
          log.error('archive.not_deleted', { confNum, error });
        }
      }
      if (gone === before || old.length < PER_BATCH) return gone;
    }
  }

  /** Deletes the archive of a session that has ended, with its files. */
  async remove(confNum: string): Promise<void> {
    await this.#parts.removed(confNum);
    await this.#removeFiles(confNum);
    this.#parts.store.remove(confNum);
  }

  /** True if chat or timeline of a session match `isIn`. */
  async says(confNum: string, isIn: (text: string) => boolean): Promise<boolean> {
    const folder = this.folderOf(confNum);
    if ((await resolvesBelow(this.#parts.directory, folder)) !== true) return false;
    for (const name of TEXTS) {
      const text = await readFile(join(folder, name), 'utf8').catch(() => '');
      if (isIn(text)) return true;
    }
    return false;
  }

  async #removeFiles(confNum: string): Promise<void> {
    const folder = this.folderOf(confNum);
    const isOurs = await resolvesBelow(this.#parts.directory, folder);
    if (isOurs === true) await rm(folder, { recursive: true, force: true });
    else if (isOurs === false) this.#parts.log.warn('archive.left_outside', { confNum });
  }

  /** Closes archives whose session has ended, when the service stops; the others are closed at the next start. */
  async close(): Promise<void> {
    for (const open of [...this.#open.values()]) if (open.endedMs !== undefined) this.#close(open);
    await Promise.all(this.#closing);
  }
}
