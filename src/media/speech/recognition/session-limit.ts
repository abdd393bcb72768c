/**
 * Limits the concurrent listenings of one engine, in total and for each project, so that one project leaves sessions
 * for the others.
 */
import { type Fault, fault } from '../../../base/core/fault.ts';

/** Number of sessions that one project may use of all those of an engine. */
export type SessionShare = (maxSessions: number) => number;

export class SessionLimit {
  readonly #maxSessions: number;
  readonly #shareOf: SessionShare;
  #open = 0;
  /** Open listenings by project. */
  readonly #byProject = new Map<string, number>();

  constructor(maxSessions: number, shareOf: SessionShare = (all) => all) {
    this.#maxSessions = maxSessions;
    this.#shareOf = shareOf;
  }

  /** Undefined if the project may open another listening. Without a project, only the total is checked. */
  refusal(projectId?: string): Fault | undefined {
    if (this.#open >= this.#maxSessions) return busy(`${this.#maxSessions} calls are listened to already`);
    const own = projectId === undefined ? 0 : (this.#byProject.get(projectId) ?? 0);
    // The share matters only for a project that uses some of it.
    if (own === 0 || own < this.#shareOf(this.#maxSessions)) return undefined;
    return busy(`${own} calls of the project are listened to already; the other sessions are left for other projects`);
  }

  /** Counts a listening, until the returned function is called. */
  open(projectId?: string): () => void {
    this.#count(projectId, 1);
    let isOpen = true;
    return () => {
      if (isOpen) this.#count(projectId, -1);
      isOpen = false;
    };
  }

  #count(projectId: string | undefined, change: number): void {
    this.#open += change;
    if (projectId === undefined) return;
    const own = (this.#byProject.get(projectId) ?? 0) + change;
    if (own === 0) this.#byProject.delete(projectId);
    else this.#byProject.set(projectId, own);
  }
}

const busy = (message: string): Fault => fault('recognizer_busy', message, { retryable: true });
