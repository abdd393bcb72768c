/** Stage 5 of the composition: webphones, built from the telephony engine and the process that handles WebRTC. */
import { EmbeddedEnginePool } from '../media/rooms/embedded/engine-pool.ts';
import { iceServersOfToken } from '../media/rooms/ice-servers.ts';
import { JanusRoomEngine } from '../media/rooms/janus/engine.ts';
import type { LineGateway } from '../media/telephony/browser/line-gateway.ts';
import { createWebphoneTokens } from '../service/calls/webphone/webphone-tokens.ts';
import { Webphones } from '../service/calls/webphone/webphones.ts';
import type { Base } from './base.ts';
import type { Calls } from './calls.ts';
import type { Provisioning } from './provisioning.ts';
import { embeddedEngine } from './room-engine.ts';
import type { Storage } from './storage.ts';
import type { Telephony } from './telephony.ts';
import type { Video } from './video.ts';

interface WebphoneParts {
  base: Base;
  storage: Storage;
  provisioning: Provisioning;
  telephony: Telephony;
  calls: Calls;
  video: Video;
}

export function createWebphones(parts: WebphoneParts): Webphones {
  const { base, telephony, video } = parts;
  const { config, clock, ids } = base;
  const { projects } = parts.provisioning;
  return new Webphones({
    calls: parts.calls.calls,
    tokens: createWebphoneTokens({
      ...{ used: parts.storage.store.usedTokens, clock, ids },
      secretsOf: projects.webhookSecretsOf,
    }),
    legs: base.isQuarantined ? undefined : telephony.browsers?.(gatewayOf(base, video)),
    maxCalls: config.limits.webphoneCalls,
    iceServers: (token) => iceServersOfToken(config.video.iceServers, token),
  });
}

/** Uses the phone process of the room engine, or starts one if that has none. */
function gatewayOf(base: Base, { engine }: Video): LineGateway {
  const inside = engine instanceof JanusRoomEngine ? engine.assistant : engine;
  if (inside instanceof EmbeddedEnginePool) return inside.webphones;
  const own = embeddedEngine(base);
  void own.start({ event: () => undefined, restarted: () => undefined });
  base.state.closers.push(() => own.stop());
  return own.webphones;
}
