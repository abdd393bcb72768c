/**
 * Destinations that may be dialled: local users, carriers, and hosts of SIP URIs. A changed configuration replaces them
 * as a whole.
 */
import type { Authenticator } from './auth.ts';
import type { CarrierSources } from './carrier-sources.ts';
import type { Carriers } from './carriers.ts';
import type { SipEngine, SipEngineOptions } from './engine-options.ts';
import type { DialPolicy } from './outbound-routes.ts';
import type { Registrar } from './registrar.ts';
import type { SrtpPolicy } from './srtp-policy.ts';

type User = NonNullable<SipEngineOptions['users']>[number];

export interface DialTableParts {
  authenticator: Authenticator;
  registrar: Registrar;
  carriers: Carriers;
  sources: Pick<CarrierSources, 'hasAddress'>;
  hasTls: boolean;
}

export class DialTable implements DialPolicy {
  readonly #parts: DialTableParts;
  #users: ReadonlyMap<string, User>;
  allowSipUris: readonly string[];

  constructor({ users = [], allowSipUris = [] }: SipEngineOptions, parts: DialTableParts) {
    this.#parts = parts;
    this.#users = byName(users);
    this.allowSipUris = allowSipUris;
  }

  get carriers(): Carriers {
    return this.#parts.carriers;
  }

  get registrar(): Registrar {
    return this.#parts.registrar;
  }

  get hasTls(): boolean {
    return this.#parts.hasTls;
  }

  isCarrier(address: string): boolean {
    return this.#parts.sources.hasAddress(address);
  }

  userNamed(name: string): string | undefined {
    return this.#users.get(name.toLowerCase())?.name;
  }

  srtpOf(user: string): SrtpPolicy | undefined {
    return this.#users.get(user.toLowerCase())?.srtp;
  }

  /** Removes contacts of users who were removed or have another password. */
  replace({ users, routes, allowSipUris }: Parameters<SipEngine['configure']>[0]): void {
    const { authenticator, registrar, carriers } = this.#parts;
    const passwords = new Map(users.map(({ name, password }) => [name, password]));
    registrar.retain((user) => passwords.get(user) === authenticator.passwordOf(user));
    authenticator.setUsers(users);
    this.#users = byName(users);
    this.allowSipUris = allowSipUris ?? this.allowSipUris;
    carriers.setRoutes(routes);
  }
}

const byName = (users: readonly User[]): ReadonlyMap<string, User> =>
  new Map(users.map((user) => [user.name.toLowerCase(), user]));
