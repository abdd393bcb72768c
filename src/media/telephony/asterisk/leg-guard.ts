/**
 * Checks that this node still owns a leg, because Asterisk accepts commands of every node. No command is sent while the
 * lease of this node has expired; after a gap in it, in which another node may have adopted the call, the fence in the
 * channel's variable is read first.
 */
import type { Clock } from '../../../base/core/clock.ts';
import { isObject } from '../../../base/core/json.ts';
import { type AriReply, type AriRequest, ariPath } from './ari-client.ts';
import { readWatermark, type StoredWatermark, WATERMARK_VARIABLE } from './command-watermark.ts';

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
const LEASE_WAIT_MS = 5000;

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
    const untilMs = clock.monotonicMs() + LEASE_WAIT_MS;
    while (!lease.isLeaseValid()) {
      if (this.#isLost || clock.monotonicMs() >= untilMs) return false;
      await new Promise<void>((resolve) => clock.after(LOOK_MS, resolve));
    }
    if (this.#isLost) return false;
    const nowMs = clock.monotonicMs();
    if (nowMs - lease.leaseHeldMs() <= this.#oursMs) return true;
    const { stored } = await watermarkOf(request, legId);
    if (this.#isLost) return false;
    if (stored && stored.fence > fence) {
      this.#isLost = true;
      lost();
      return false;
    }
    this.#oursMs = nowMs;
    return true;
  }
}

/** Reads the watermark of a channel; without `stored` there is no such channel, or Asterisk does not answer. */
export async function watermarkOf(
  request: AriRequest,
  legId: string,
): Promise<{ status: number; stored?: StoredWatermark }> {
  const { status, body }: AriReply = await request(
    'GET',
    `${ariPath('channels', legId, 'variable')}?variable=${WATERMARK_VARIABLE}`,
  );
  const { value, message } = isObject(body) ? body : {};
  const isUnset = status === 404 && /variable/i.test(String(message));
  return status === 200 || isUnset ? { status: 200, stored: readWatermark(value) } : { status };
}
