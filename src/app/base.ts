/** Base of all parts of the service: configuration, clock, log and state, and the shutdown of everything. */
import { resolve } from 'node:path';
import { atMost, type Clock, type ClosableClock, closableClock, systemClock } from '../base/core/clock.ts';
import { hostText } from '../base/core/host-text.ts';
import { type Ids, randomIds, systemRandom } from '../base/core/ids.ts';
import type { Log } from '../base/core/log.ts';
import type { NodeEpoch } from '../base/core/ownership.ts';
import { silentLog } from '../base/core/silent-log.ts';
import { version } from '../base/version.ts';
import type { Config, ConfigResult } from '../config.ts';
import type { RoomEngine } from '../media/rooms/sfu.ts';
import type { LineGateway } from '../media/telephony/browser/line-gateway.ts';
import type { BrowserLegs } from '../media/telephony/browser-legs.ts';
import type { Engine } from '../media/telephony/engine.ts';
import type { MixLinks } from '../media/telephony/mix-links.ts';
import type { StartThread } from '../proof/workbench/workbench.ts';
import type { PromptAudio } from '../service/calls/prompts/play-order.ts';
import type { DrainState } from '../service/calls/settings/operation.ts';
import { nodeEpoch } from '../service/cluster/node-epoch.ts';
import type { SharedParts } from '../service/cluster/shared-parts.ts';
import type { Tracing } from '../service/observers/tracing/tracing.ts';
import type { Store } from '../service/store/store.ts';
import { quietLog } from './quiet-log.ts';

/** Replacements for the default parts, for tests and embedders. */
export interface AppParts extends Partial<Pick<Base, 'ids' | 'random' | 'log' | 'epoch'>> {
  clock?: Clock;
  /** Closed by `stop`. */
  store?: Store;
  /** An engine, together with the check that prompts can be synthesised. */
  telephony?: {
    engine: Engine;
    sounds: PromptAudio;
    reaches?(to: string): boolean;
    browsers?(gateway: LineGateway): BrowserLegs;
    mixLinks?: MixLinks;
  };
  /** Storage that this node shares with others, if the configuration has `cluster`. */
  shared?: SharedParts;
  /** Media engine of rooms. */
  roomEngine?: RoomEngine;
  /** Source of a reload; default: the configuration file. */
  readConfig?(): ConfigResult;
  /** Starts the threads in which flows are checked and tested. */
  startThread?: StartThread;
  /** True to inspect a copy of the data: nothing leaves the service, and none of its calls is resumed. */
  isQuarantined?: boolean;
  /** True if the metrics include those of this process: memory, CPU time. At most once per process. */
  isWholeProcess?: boolean;
}

/** Dependencies of every part. */
export interface Base {
  config: Config;
  /** Closed at the end, so that no timer fires afterwards. */
  clock: ClosableClock;
  ids: Ids;
  /** Numbers in [0, 1). */
  random: () => number;
  log: Log;
  /** Id of this epoch of the node, which owns its calls. */
  epoch: NodeEpoch;
  /** Absent if the configuration enables no tracing. */
  tracing?: Tracing;
  /** Absolute path of the data directory. */
  directory: string;
  /**
   * True if the data may be a copy of those of a running service. Reads are answered, but no event is sent, no call is
   * made, no registration with a carrier is sent, nothing is deleted or ended, and no flow file is changed.
   */
  isQuarantined: boolean;
  state: {
    /** The configuration of the last reload. Settings that need a restart are read from `config` of the base. */
    config: Config;
    /** True while requests, and, unless the node drains, calls are accepted. */
    isOpen: boolean;
    drain: DrainState;
    /** Base URL of the API; the port may be known only after the start. */
    publicUrl: string;
    /** Functions that stop and release the parts, in the order of their start. */
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
  const { epoch = nodeEpoch() } = parts;
  const clock = closableClock(parts.clock ?? systemClock);
  return { config, clock, ids, random, log, epoch, directory: resolve(config.dataDirectory), isQuarantined, state };
}

/** Adds tracing; its packages are loaded only if the configuration enables it. */
export async function traced(base: Base): Promise<Base> {
  const { config, isQuarantined, state } = base;
  if (!config.tracing || isQuarantined) return base;
  const { openTelemetry } = await import('../service/observers/tracing/open-telemetry.ts');
  const tracing = openTelemetry(config.tracing, { ...base, version: version() });
  state.closers.push(() => tracing.close());
  return { ...base, tracing };
}

/** Limit for the stop of one part, in ms. Longer than any part waits for external systems. */
const CLOSE_LIMIT_MS = 15_000;

/** Stops and releases all parts, in reverse order. */
export async function closeAll({ clock, log, state }: Base): Promise<void> {
  state.isOpen = false;
  for (const stop of state.closers.splice(0).reverse()) {
    try {
      const stopped = Promise.resolve(stop()).then(() => true);
      // The source text of a closer identifies the part.
      if (!(await atMost(clock, CLOSE_LIMIT_MS, stopped))) log.error('stop.timed_out', { part: String(stop) });
    } catch (error) {
      log.error('stop.failed', { error });
    }
  }
  clock.close();
}

/** A wildcard address is reached as `localhost` on this machine. */
export function urlOf({ host, port }: { host: string; port: number }): string {
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : hostText(host);
  return `http://${name}:${port}`;
}
