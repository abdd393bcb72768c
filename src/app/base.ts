/** What every room of the service is built with, and how all of it is closed. */
import { resolve } from 'node:path';
import type { PromptAudio } from '../calls/play-order.ts';
import type { DrainState } from '../calls/settings/operation.ts';
import { lifeId } from '../cluster/life-id.ts';
import type { SharedParts } from '../cluster/shared-parts.ts';
import type { Config, ConfigResult } from '../config.ts';
import { atMost, type Clock, type ClosableClock, closableClock, systemClock } from '../core/clock.ts';
import { hostText } from '../core/host-text.ts';
import { type Ids, randomIds, systemRandom } from '../core/ids.ts';
import { type Log, silentLog } from '../core/log.ts';
import type { LifeId } from '../core/ownership.ts';
import type { Tracing } from '../observers/tracing/tracing.ts';
import type { RoomEngine } from '../rooms/sfu.ts';
import type { Store } from '../store/store.ts';
import type { LineGateway } from '../telephony/browser/line-gateway.ts';
import type { BrowserLegs } from '../telephony/browser-legs.ts';
import type { Engine } from '../telephony/engine.ts';
import type { MixLinks } from '../telephony/mix-links.ts';
import { version } from '../version.ts';
import type { StartThread } from '../workbench/workbench.ts';
import { quietLog } from './quiet-log.ts';

/** What a test, or an embedder, puts in place of the usual. */
export interface AppParts extends Partial<Pick<Base, 'ids' | 'random' | 'log' | 'life'>> {
  clock?: Clock;
  /** Closed by `stop`. */
  store?: Store;
  /** Together: an engine, and the check that it can make a sound. */
  telephony?: {
    engine: Engine;
    sounds: PromptAudio;
    reaches?(to: string): boolean;
    browsers?(gateway: LineGateway): BrowserLegs;
    mixLinks?: MixLinks;
  };
  /** What this node shares with others, where the configuration has `cluster`. */
  shared?: SharedParts;
  /** What carries the media of rooms. */
  roomEngine?: RoomEngine;
  /** What a reload reads; default: the file of the configuration. */
  readConfig?(): ConfigResult;
  /** Starts the threads in which flows are checked and tried. */
  startThread?: StartThread;
  /** For looking into a copy: nothing leaves the service, and nothing of its calls goes on. */
  isQuarantined?: boolean;
  /** Figures of this process belong to the metrics: memory, processor time. Once per process. */
  isWholeProcess?: boolean;
}

/** What every room is built with. */
export interface Base {
  config: Config;
  /** Closed with the rest: nothing fires after the end. */
  clock: ClosableClock;
  ids: Ids;
  /** Numbers in [0, 1). */
  random: () => number;
  log: Log;
  /** Names this life of the node: calls are owned by it. */
  life: LifeId;
  /** Absent: the configuration asks for no traces. */
  tracing?: Tracing;
  /** Absolute path of the data. */
  directory: string;
  /**
   * The data may be a copy of those of a service that runs. Reads are answered; no event is sent, nobody is called, no carrier
   * is registered with, nothing is deleted or ended, no file of flows is changed.
   */
  isQuarantined: boolean;
  state: {
    /** As it was read last. What changes at a start alone stands in `config` of the base. */
    config: Config;
    /** Requests are taken, and calls, unless it drains. */
    isOpen: boolean;
    drain: DrainState;
    /** Where clients reach the API; the port may be known only after the start. */
    publicUrl: string;
    /** What to stop and to free, in the order in which it was started. */
    closers: (() => unknown)[];
  };
}

export function baseOf(config: Config, parts: AppParts): Base {
  const { ids = randomIds, random = systemRandom, isQuarantined = false } = parts;
  const log = config.cluster ? quietLog(parts.log ?? silentLog) : (parts.log ?? silentLog);
  const state: Base['state'] = {
    config,
    isOpen: false,
    drain: isQuarantined ? 'quarantined' : 'open',
    publicUrl: config.http.publicUrl ?? urlOf(config.http),
    closers: [],
  };
  const { life = lifeId() } = parts;
  const clock = closableClock(parts.clock ?? systemClock);
  return { config, clock, ids, random, log, life, directory: resolve(config.dataDirectory), isQuarantined, state };
}

/** Traces; their packages are loaded only where the configuration asks for them. */
export async function traced(base: Base): Promise<Base> {
  const { config, isQuarantined, state } = base;
  if (!config.tracing || isQuarantined) return base;
  const { openTelemetry } = await import('../observers/tracing/open-telemetry.ts');
  const tracing = openTelemetry(config.tracing, { ...base, version: version() });
  state.closers.push(() => tracing.close());
  return { ...base, tracing };
}

/** A part that does not stop holds the end up so long. Longer than any of them waits for the outside. */
const CLOSE_LIMIT_MS = 15_000;

/** Stops and frees everything, in reverse order. */
export async function closeAll({ clock, log, state }: Base): Promise<void> {
  state.isOpen = false;
  for (const stop of state.closers.splice(0).reverse()) {
    try {
      const stopped = Promise.resolve(stop()).then(() => true);
      // The source text of a closer names the part.
      if (!(await atMost(clock, CLOSE_LIMIT_MS, stopped))) log.error('stop.timed_out', { part: String(stop) });
    } catch (error) {
      log.error('stop.failed', { error });
    }
  }
  clock.close();
}

/** On this machine, an address of every interface is reached as `localhost`. */
export function urlOf({ host, port }: { host: string; port: number }): string {
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : hostText(host);
  return `http://${name}:${port}`;
}
