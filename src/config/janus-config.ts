/** Reads `video.janus`: a program that the service starts, or nodes that run elsewhere. */
import { defined } from '../base/core/json.ts';
import type { ConfigContext } from './config-context.ts';
import type { ConfigFile } from './config-file.ts';

export type JanusConfig =
  | { readonly program: string; readonly ports: readonly [number, number] }
  | { readonly nodes: readonly JanusNodeConfig[] };

export interface JanusNodeConfig {
  readonly url: string;
  readonly secret?: string;
  readonly adminUrl?: string;
  readonly adminSecret?: string;
}

export function readJanus(
  { program = 'janus', ports, nodes }: ConfigFile['video']['janus'],
  context: ConfigContext,
): JanusConfig {
  if (ports[0] >= ports[1]) {
    context.report(
      'wrong-range',
      'the last port must be greater than the first',
      '/video/janus/ports',
      'write [first, last]',
    );
  }
  if (!nodes) return { program, ports };
  return {
    nodes: nodes.map(({ url, secret, admin_url: adminUrl, admin_secret: adminSecret }, index) => {
      const at = `/video/janus/nodes/${index}`;
      return defined<JanusNodeConfig>({
        ...{ url, adminUrl },
        secret: context.optionalSecret(secret, `${at}/secret`),
        adminSecret: context.optionalSecret(adminSecret, `${at}/admin_secret`),
      });
    }),
  };
}
