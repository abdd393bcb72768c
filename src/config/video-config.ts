/** The section `video`: where the media of rooms goes. */
import { isIP } from 'node:net';
import { defined } from '../core/json.ts';
import type { ConfigContext } from './config-context.ts';
import type { ConfigFile } from './config-file.ts';

export interface VideoConfig {
  readonly host: string;
  readonly port: number;
  readonly advertisedHost?: string;
}

export function readVideo({ video, sip }: ConfigFile, context: ConfigContext): VideoConfig {
  for (const key of ['host', 'advertised_host'] as const) {
    const written = video[key];
    if (written === undefined || isIP(written) !== 0) continue;
    context.report(
      'wrong-value',
      `"${written}" is not an IP address`,
      `/video/${key}`,
      'browsers need an address, not a name',
    );
  }
  const { advertised_host: ofCalls = '' } = sip;
  const fallback = isIP(ofCalls) === 0 || video.host !== undefined ? undefined : ofCalls;
  return defined<VideoConfig>({
    host: video.host ?? sip.host,
    port: video.port,
    advertisedHost: video.advertised_host ?? fallback,
  });
}
