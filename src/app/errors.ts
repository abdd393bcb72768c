/** Errors that prevent the start of the service, with hints for the operator. */
import type { Diagnostic } from '../base/core/diagnostic.ts';
import { hostPortText } from '../base/core/host-text.ts';
import type { Config } from '../config.ts';

/** The configuration requires something that is not available; the diagnostics have the locations. */
export class ConfigurationError extends Error {
  readonly diagnostics: readonly Diagnostic[];
  constructor(diagnostics: readonly Diagnostic[]) {
    super(diagnostics[0]?.message ?? 'the configuration cannot be used');
    this.diagnostics = diagnostics;
  }
}

/** Fatal, because no call is possible without the configured Asterisk. */
export function asteriskError(config: Config, url: string, cause: unknown): ConfigurationError {
  const message = `Asterisk does not let us in at ${url}: ${(cause as Error).message}`;
  const hint = 'is it running, with res_ari_events, and are user and password those of its ari.conf?';
  return new ConfigurationError([
    { severity: 'error', code: 'unreachable', message, hint, ...config.locationOf('/asterisk/url') },
  ]);
}

type Listener = 'sip' | 'http';

/** Meaning and hint for an error code of the system. */
const REASONS: Readonly<Record<string, readonly [why: string, hint: (listener: Listener) => string]>> = {
  EADDRINUSE: ['another program listens there', (listener) => `stop it, or set ${listener}.port in callweave.yaml`],
  EAFNOSUPPORT: ['this machine has no IPv6', (listener) => `set ${listener}.host in callweave.yaml to 0.0.0.0`],
  EADDRNOTAVAIL: ['this machine has no such address', (listener) => `set ${listener}.host in callweave.yaml`],
  ENOTFOUND: ['this machine has no such address', (listener) => `set ${listener}.host in callweave.yaml`],
  EACCES: ['that is not permitted', (listener) => `take a port above 1023: ${listener}.port in callweave.yaml`],
};

/** The service cannot listen: the address is in use, or does not belong to this machine. */
export class StartError extends Error {
  readonly hint: string;
  constructor(listener: Listener, address: { host: string; port: number }, cause: unknown) {
    const { code = '', message } = cause as NodeJS.ErrnoException;
    const [why, hint] = REASONS[code] ?? [message, () => 'see the log'];
    super(`cannot listen for ${listener.toUpperCase()} on ${hostPortText(address)}: ${why}`, { cause });
    this.hint = hint(listener);
  }
}
