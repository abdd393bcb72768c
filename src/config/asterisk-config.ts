/** Reads the section `asterisk`: the Asterisk that carries calls instead of the embedded engine. */
import { join } from 'node:path';
import { defined } from '../base/core/json.ts';
import type { ConfigContext } from './config-context.ts';
import type { ConfigFile } from './config-file.ts';

export interface AsteriskConfig {
  /** URL of the REST interface (ARI), without a trailing slash. */
  readonly url: string;
  readonly user: string;
  readonly secret: string;
  readonly application: string;
  /** Endpoint for outbound calls to numbers. */
  readonly trunk: string;
  readonly mediaDirectory: string;
  readonly mediaDirectoryOfAsterisk?: string;
}

export function readAsterisk(
  { url, user, password, application, trunk, ...written }: NonNullable<ConfigFile['asterisk']>,
  dataDirectory: string,
  context: ConfigContext,
): AsteriskConfig {
  return defined<AsteriskConfig>({
    ...{ user, application, trunk, url: url.replace(/\/+$/, '') },
    secret: context.optionalSecret(password, '/asterisk/password') ?? '',
    mediaDirectory: written.media_directory ?? join(dataDirectory, 'asterisk-sounds'),
    mediaDirectoryOfAsterisk: written.media_directory_of_asterisk,
  });
}
