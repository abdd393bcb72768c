/** What carries the media of rooms, as the section `video` of the configuration has it. */
import type { JanusConfig } from '../config/janus-config.ts';
import { isLoopback } from '../config/sip-config.ts';
import { maskUrl } from '../core/mask-url.ts';
import { EmbeddedRoomEngine } from '../rooms/embedded/engine.ts';
import { JanusRoomEngine } from '../rooms/janus/engine.ts';
import type { JanusPlace } from '../rooms/janus/janus-node.ts';
import { JanusProgram } from '../rooms/janus/janus-program.ts';
import type { RoomEngine } from '../rooms/sfu.ts';
import { isWildcard } from '../telephony/wildcard.ts';
import type { Base } from './base.ts';

export function createRoomEngine(base: Base): RoomEngine {
  const { engine } = base.config.video;
  if (engine === 'embedded') return embeddedEngine(base);
  return new JanusRoomEngine({ places: janusPlaces(base, engine), clock: base.clock, log: logOf(base) });
}

/** Of rooms, or where another one carries them, of calls from browsers. */
export function embeddedEngine(base: Base): EmbeddedRoomEngine {
  const { port, advertisedHost } = base.config.video;
  return new EmbeddedRoomEngine({ host: hostOf(base), port, advertisedHost, clock: base.clock, log: logOf(base) });
}

const hostOf = ({ config: { video } }: Base): string | undefined => (isWildcard(video.host) ? undefined : video.host);

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
  // Janus does not use loopback addresses: it takes all others instead.
  const host = hostOf(base);
  const used = host !== undefined && isLoopback(host) ? undefined : host;
  const { advertisedHost } = base.config.video;
  return [new JanusProgram({ ...engine, host: used, advertisedHost, clock: base.clock })];
}
