/**
 * Reads the section `video`: the media engine of rooms, its addresses, the TURN servers for browsers, limits of rooms,
 * and their dial-in numbers.
 */
import { isIP } from 'node:net';
import { parseDuration } from '../base/core/duration.ts';
import { defined } from '../base/core/json.ts';
import type { DialIn } from '../media/rooms/dial-in.ts';
import type { IceServerConfig } from '../media/rooms/ice-servers.ts';
import type { RoomSettings } from '../media/rooms/room.ts';
import type { ConfigContext } from './config-context.ts';
import type { ConfigFile } from './config-file.ts';
import { type JanusConfig, readJanus } from './janus-config.ts';

export interface VideoConfig {
  readonly host: string;
  /** First UDP port; each engine process uses one, in sequence. */
  readonly port: number;
  readonly engineProcesses: number;
  readonly advertisedHost?: string;
  readonly iceServers: readonly IceServerConfig[];
  /** Best quality that a room may request. */
  readonly maxQuality: RoomSettings['quality'];
  readonly dialIn: DialIn;
  /** Media engine of rooms. */
  readonly engine: 'embedded' | JanusConfig;
}

const MAX_PORT = 65_535;

export function readVideo({ video, sip }: ConfigFile, context: ConfigContext): VideoConfig {
  for (const key of ['host', 'advertised_host'] as const) {
    const written = video[key];
    if (written === undefined || isIP(written) !== 0) continue;
    context.report(
      'wrong-value',
      `"${written}" is not an IP address`,
      `/video/${key}`,
      'use an IP address: browsers cannot use a name',
    );
  }
  if (video.port + video.engine_processes - 1 > MAX_PORT) {
    const hint = `with ${video.engine_processes} processes the port is at most ${MAX_PORT - video.engine_processes + 1}`;
    context.report('wrong-value', 'the last port of `video.engine_processes` is above 65535', '/video/port', hint);
  }
  const { advertised_host: ofCalls = '' } = sip;
  const fallback = isIP(ofCalls) === 0 || video.host !== undefined ? undefined : ofCalls;
  return defined<VideoConfig>({
    host: video.host ?? sip.host,
    port: video.port,
    engineProcesses: video.engine_processes,
    advertisedHost: video.advertised_host ?? fallback,
    iceServers: video.ice_servers.map((server, index) => readIceServer(server, `/video/ice_servers/${index}`, context)),
    maxQuality: video.max_quality,
    dialIn: readDialIn(video.dial_in, context),
    engine: video.engine === 'janus' ? readJanus(video.janus, context) : 'embedded',
  });
}

function readIceServer(
  { urls, username, credential, shared_secret: shared, lifetime }: ConfigFile['video']['ice_servers'][number],
  at: string,
  context: ConfigContext,
): IceServerConfig {
  const isTurn = urls.some((url) => url.startsWith('turn'));
  if ((username === undefined) !== (credential === undefined)) {
    context.report(
      'wrong-keys',
      '`username` and `credential` require each other',
      at,
      'coturn has both in the line user=',
    );
  } else if (shared !== undefined && credential !== undefined) {
    const hint = 'remove username and credential: they are derived from the secret';
    context.report('wrong-keys', '`shared_secret` and `credential` exclude each other', at, hint);
  } else if (isTurn && shared === undefined && credential === undefined) {
    const hint = 'add shared_secret, or username and credential';
    context.report('wrong-keys', 'a TURN server needs credentials', at, hint);
  }
  return defined<IceServerConfig>({
    ...{ urls, username },
    credential: context.optionalSecret(credential, `${at}/credential`),
    sharedSecret: context.optionalSecret(shared, `${at}/shared_secret`),
    lifetimeMs: parseDuration(lifetime) ?? 0,
  });
}

function readDialIn(written: ConfigFile['video']['dial_in'], context: ConfigContext): DialIn {
  const { numbers, password, server_url: serverUrl, sig_servers: sigServers, media_servers: mediaServers } = written;
  return {
    numbers: numbers.map(({ country_code: countryCode, ...number }) => ({ ...number, countryCode })),
    ...{ serverUrl, sigServers, mediaServers, username: written.username },
    password: context.optionalSecret(password, '/video/dial_in/password') ?? '',
  };
}
