/**
 * Checks that this node still owns a leg, because Asterisk accepts commands of every node. No command is sent while the
 * lease of this node has expired; after a gap in it, in which another node may have adopted the call, the fence in the
 * channel's variable is read first.
 */
import type { Clock } from '../../../base/core/clock.ts';
import { isObject } from '../../../base/core/json.ts';
import { type AriReply, type AriRequest, ariPath } from './ari-client.ts';
import { type LegNote, NOTE_VARIABLE, readNote } from './leg-ledger.ts';

export interface NodeLease {
  isLeaseValid(): boolean;
  leaseHeldMs(): number;
}

export interface LegGuardParts {
  legId: string;
  request: AriRequest;
  clock: Clock;
  lease: NodeLease;
  fence: number;
  /** Another node owns the leg; called once. */
  lost(): void;
}

const LOOK_MS = 50;
/** A lease that is not renewed for this long will not be renewed in time. */
const PATIENCE_MS = 5000;

export class LegGuard {
  readonly #parts: LegGuardParts;
  /** Time until which the leg was certainly owned by this node. */
  #oursMs: number;
  #isLost = false;

  constructor(parts: LegGuardParts) {
    this.#parts = parts;
    this.#oursMs = parts.clock.monotonicMs();
  }

  readonly request: AriRequest = async (method, path, body) => {
    if (method !== 'GET' && !(await this.#isOurs())) return { status: 0, why: 'the call is of another node' };
    return this.#parts.request(method, path, body);
  };

  async #isOurs(): Promise<boolean> {
    const { clock, lease, request, legId, fence, lost } = this.#parts;
    const untilMs = clock.monotonicMs() + PATIENCE_MS;
    while (!lease.isLeaseValid()) {
      if (this.#isLost || clock.monotonicMs() >= untilMs) return false;
      await new Promise<void>((resolve) => clock.after(LOOK_MS, resolve));
    }
    if (this.#isLost) return false;
    const nowMs = clock.monotonicMs();
    if (nowMs - lease.leaseHeldMs() <= this.#oursMs) return true;
    const { note } = await noteOf(request, legId);
    if (this.#isLost) return false;
    if (note && note.fence > fence) {
      this.#isLost = true;
      lost();
      return false;
    }
    this.#oursMs = nowMs;
    return true;
  }
}

/** Reads the note of a channel; without `note` there is no such channel, or Asterisk does not answer. */
export async function noteOf(request: AriRequest, legId: string): Promise<{ status: number; note?: LegNote }> {
  const { status, body }: AriReply = await request(
    'GET',
    `${ariPath('channels', legId, 'variable')}?variable=${NOTE_VARIABLE}`,
  );
  const { value, message } = isObject(body) ? body : {};
  const isUnset = status === 404 && /variable/i.test(String(message));
  return status === 200 || isUnset ? { status: 200, note: readNote(value) } : { status };
}
