/**
 * Resolves host names in the `c=` lines of session descriptions (RFC 8866 §5.7): replaces them by addresses before the
 * description is read, so that all rules for addresses apply (`media-path.ts`).
 *
 * Invariants
 *  - a message waits for at most two seconds, and is processed unchanged if no address was found;
 *  - the number of concurrent lookups is limited, because any peer may send a name; other messages never wait.
 */
import { isIP, isIPv6 } from 'node:net';
import type { Clock } from '../../../base/core/clock.ts';

const MAX_LOOKUP_MS = 2_000;
const MAX_LOOKUPS = 32;
const CONNECTION = /^(c=IN IP[46] )([A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?)(?=\r?$)/m;

export class SdpHostNames {
  readonly #clock: Clock;
  readonly #addresses: (host: string) => Promise<readonly string[]>;
  #running = 0;

  constructor(clock: Clock, addresses: (host: string) => Promise<readonly string[]>) {
    this.#clock = clock;
    this.#addresses = addresses;
  }

  /** Calls `then` once: synchronously unless a host has to be looked up. Several lines may name the same host. */
  resolve(message: { body: Buffer }, then: () => void): void {
    const name = hostNameIn(message.body);
    if (name === undefined || this.#running >= MAX_LOOKUPS) {
      then();
      return;
    }
    this.#running += 1;
    let isOver = false;
    const finish = (addresses: readonly string[]): void => {
      if (isOver) return;
      isOver = true;
      this.#running -= 1;
      timeout.cancel();
      const address = addresses.find((one) => isIP(one) === 4) ?? addresses.find((one) => isIPv6(one));
      if (address !== undefined) message.body = withAddress(message.body, name, address);
      then();
    };
    const timeout = this.#clock.after(MAX_LOOKUP_MS, () => finish([]));
    this.#addresses(name).then(finish, () => finish([]));
  }
}

function hostNameIn(body: Buffer): string | undefined {
  if (body.length === 0 || body.length > 65_536) return undefined;
  const name = CONNECTION.exec(body.toString('latin1'))?.[2];
  return name === undefined || isIP(name) !== 0 || /^[\d.]+$/.test(name) ? undefined : name;
}

const withAddress = (body: Buffer, name: string, address: string): Buffer => {
  const lines = new RegExp(`^c=IN IP[46] ${name.replaceAll('.', '\\.')}(?=\\r?$)`, 'gm');
  return Buffer.from(body.toString('latin1').replace(lines, `c=IN IP${isIP(address)} ${address}`), 'latin1');
};
