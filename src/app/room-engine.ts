/** Creates the media engine of rooms from the section `video` of the configuration. */
import { join, resolve } from 'node:path';
import { maskUrl } from '../base/core/mask-url.ts';
import type { JanusConfig } from '../config/janus-config.ts';
import { isLoopback } from '../config/sip-config.ts';
import { ARCHIVES_FOLDER } from '../media/rooms/archive/archive.ts';
import { EmbeddedEnginePool } from '../media/rooms/embedded/engine-pool.ts';
import { JanusRoomEngine } from '../media/rooms/janus/engine.ts';
import type { JanusPlace } from '../media/rooms/janus/janus-node.ts';
import { JanusProgram } from '../media/rooms/janus/janus-program.ts';
import { LIVE_STREAMS_FOLDER } from '../media/rooms/live-stream/live-streams.ts';
import type { TransportOptions } from '../media/rooms/media-transport.ts';
import type { RoomEngine } from '../media/rooms/sfu.ts';
import { isWildcard } from '../media/telephony/wildcard.ts';
import type { Base } from './base.ts';

export function createRoomEngine(base: Base): RoomEngine {
  const { engine } = base.config.video;
  if (engine === 'embedded') return embeddedEngine(base);
  return new JanusRoomEngine({
    ...{ places: janusPlaces(base, engine), clock: base.clock, log: logOf(base) },
    assistant: assistantOf(base, engine),
  });
}

/** Undefined if Janus runs on another machine, which cannot reach a loopback address of this one. */
function assistantOf(base: Base, engine: JanusConfig): EmbeddedEnginePool | undefined {
  const isHere = !('nodes' in engine) || engine.nodes.every(({ url }) => isLoopback(hostIn(url)));
  if (isHere) return embeddedEngine(base, { host: hostForJanus(base) });
  const host = hostOf(base);
  return host !== undefined && isLoopback(host) ? undefined : embeddedEngine(base);
}

/** The host name without the brackets of IPv6. */
const hostIn = (url: string): string => new URL(url).hostname.replace(/^\[|\]$/g, '');

/** Embedded engine for rooms, for the features that Janus lacks, and for calls from browsers. */
export function embeddedEngine(base: Base, towardsEngine?: TransportOptions): EmbeddedEnginePool {
  const { port, advertisedHost, engineProcesses: processes } = base.config.video;
  const addresses = { host: hostOf(base), port, processes, advertisedHost, towardsEngine };
  const writes = [ARCHIVES_FOLDER, LIVE_STREAMS_FOLDER].map((folder) => join(resolve(base.directory), folder));
  return new EmbeddedEnginePool({ ...addresses, writes, clock: base.clock, log: logOf(base) });
}

const hostOf = ({ config: { video } }: Base): string | undefined => (isWildcard(video.host) ? undefined : video.host);

/** Janus ignores loopback addresses and would use all others. */
function hostForJanus(base: Base): string | undefined {
  const host = hostOf(base);
  return host !== undefined && isLoopback(host) ? undefined : host;
}

const logOf =
  ({ log }: Base): JanusLog =>
  (level, message, fields) =>
    log[level](message, fields);

type JanusLog = ConstructorParameters<typeof JanusRoomEngine>[0]['log'];

function janusPlaces(base: Base, engine: JanusConfig): JanusPlace[] {
  if ('nodes' in engine) {
    return engine.nodes.map((node) => ({
      name: maskUrl(node.url),
      open: async () => node,
      end: async () => undefined,
    }));
  }
  const { advertisedHost } = base.config.video;
  return [new JanusProgram({ ...engine, host: hostForJanus(base), advertisedHost, clock: base.clock })];
}
