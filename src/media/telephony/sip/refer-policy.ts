/**
 * Policy for REFER and Replaces: which targets may be named, and which calls may be taken over. Translates between the
 * host's notation (numbers, `user:NAME`, URIs, legs) and Refer-To.
 *
 * Invariants
 *  - an unauthenticated far end never names a number that costs money, nor a host that is not configured (toll fraud);
 *  - a call is taken over only by users of its own project, or handed over by the far end that has it.
 */
import type { EngineHost } from '../engine.ts';
import { uriText } from './carriers.ts';
import type { Dialog } from './dialog.ts';
import type { DialogSession } from './dialog-session.ts';
import { parseNameAddress } from './headers.ts';
import { type DialPolicy, numberOf, readUri, userOf } from './outbound-routes.ts';
import { replacedSession, replacesInUri, replacesOfUri } from './replaces.ts';
import { type Peer, peerText, type TransportName } from './transport.ts';
import type { SipLog } from './transport-layer.ts';
import { escapeUser, parseUri, type Uri } from './uri.ts';

/** Target that the far end names, in the host's notation; else the status with which it is refused. */
export type ReferTarget = { to: string; replacesLegId?: string } | { status: number };

export interface ReferPolicyParts {
  sessions: ReadonlyMap<string, DialogSession>;
  sessionOfLeg: (legId: string) => DialogSession | undefined;
  table: DialPolicy;
  /** Returns the project of a call or a user. */
  projectOf: NonNullable<EngineHost['projectOf']>;
  log: SipLog;
  /** Returns `host:port` of the engine as the peer at `towards` knows it. */
  here(transport?: TransportName, towards?: string): string;
}

export interface Referrer {
  legId: string;
  dialog: Dialog;
  /** Authenticated user at the far end, or the user who was called; such users may cause charges. */
  user: string | undefined;
}

export interface ReferPlaces {
  /** Domain at which the far end finds numbers. */
  domain: string;
  /** Domain at which the far end finds this engine. */
  home: string;
}

export class ReferPolicy {
  readonly #parts: ReferPolicyParts;

  constructor(parts: ReferPolicyParts) {
    this.#parts = parts;
  }

  /** Translates the far end's Refer-To. */
  targetOf(uri: Uri, referrer: Referrer): ReferTarget {
    const replaces = replacesOfUri(uri.headers);
    if (replaces === false) return { status: 400 };
    if (replaces) {
      const session = replacedSession(this.#parts.sessions, replaces);
      if (!session?.isConfirmed || session.legId === referrer.legId) return { status: 481 };
      // As for a call that does not exist, to reveal nothing about others.
      if (!this.#mayMerge(session, referrer)) return { status: 481 };
      return { to: this.#nameOf(uri, referrer.dialog), replacesLegId: session.legId };
    }
    const name = uri.user;
    const isOurs = uri.scheme === 'tel' || this.#isHere(uri, referrer.dialog);
    const user = isOurs && name !== undefined ? this.#parts.table.userNamed(name) : undefined;
    if (user !== undefined) return { to: `user:${user}` };
    if (!isOurs && this.#mayName(uri, referrer)) return { to: textOf(uri) };
    const number = name === undefined ? undefined : numberOf(name);
    if (number === undefined || (!isOurs && !this.#isOfFarEnd(uri, referrer.dialog))) return { status: 404 };
    // Without a route, numbers cost nothing.
    const isFree = this.#parts.table.carriers.isEmpty;
    return referrer.user !== undefined || isFree ? { to: number } : { status: 403 };
  }

  /** True if this user may replace the far end of that call (RFC 3891); logged if not. */
  mayReplace(legId: string, user: string | undefined, source: Peer): boolean {
    return this.#isOfUser(legId, user) || this.#refused(legId, user, source);
  }

  /** Two calls of one project may be merged by users of the project, and by a far end that has both. */
  #mayMerge({ legId, dialog }: DialogSession, { legId: ofReferrer, dialog: own, user }: Referrer): boolean {
    const { projectOf } = this.#parts;
    const project = projectOf({ legId });
    const isOneProject = project !== undefined && projectOf({ legId: ofReferrer }) === project;
    const may = isOneProject && (this.#isSameFarEnd(dialog, own) || this.#isOfUser(legId, user));
    return may || this.#refused(legId, user, own.peer);
  }

  #isOfUser(legId: string, user: string | undefined): boolean {
    const { projectOf } = this.#parts;
    const project = projectOf({ legId });
    return project !== undefined && user !== undefined && projectOf({ user }) === project;
  }

  #refused(legId: string, user: string | undefined, source: Peer): false {
    const who = user === undefined ? {} : { user };
    this.#parts.log('warn', 'sip.replace_refused', { legId, ...who, source: peerText(source) });
    return false;
  }

  /** Behind a proxy or a carrier, many callers have the same peer. */
  #isSameFarEnd(one: Dialog, other: Dialog): boolean {
    if (one.relayed || other.relayed || this.#isCarrier(one.peer.host)) return false;
    return peerText(one.peer) === peerText(other.peer);
  }

  /** Returns the URI that a far end is asked to call; undefined if there is none. */
  referTo(to: string, replacesLegId: string | undefined, { domain, home }: ReferPlaces): string | undefined {
    if (replacesLegId !== undefined) {
      const session = this.#parts.sessionOfLeg(replacesLegId);
      if (!session?.isConfirmed) return undefined;
      const { callId, localTag, remoteTag, remoteTarget } = session.dialog;
      // From the far end's view, the local tag is the remote one.
      const replaces = replacesInUri({ callId, toTag: remoteTag, fromTag: localTag });
      return `${remoteTarget.split('?', 1)[0]}?${replaces}`;
    }
    const text = to.trim();
    const user = userOf(text);
    if (user !== undefined) {
      const name = this.#parts.table.userNamed(user);
      return name === undefined ? undefined : `sip:${escapeUser(name)}@${home}`;
    }
    if (/^sips?:/i.test(text)) {
      const uri = readUri(text);
      return uri && uri.host !== '' && uri.headers === undefined ? uri.text : undefined;
    }
    const number = numberOf(text);
    return number === undefined ? undefined : `sip:${escapeUser(number)}@${domain}`;
  }

  /** A configured host may also belong to a carrier. */
  #mayName({ scheme, host }: Uri, { user }: Referrer): boolean {
    const isAllowed = this.#parts.table.allowSipUris.some((name) => name.toLowerCase() === host);
    return scheme.startsWith('sip') && isAllowed && (user !== undefined || !this.#isCarrier(host));
  }

  /** True if this is the host of a carrier: calls there cost money. */
  #isCarrier(host: string): boolean {
    const { table } = this.#parts;
    return table.carriers.hasHost(host) || table.isCarrier(host);
  }

  /** True for a name of this engine, or the far end's name for it. */
  #isHere(uri: Uri, dialog: Dialog): boolean {
    const { here } = this.#parts;
    const ours = [here(), here('udp', dialog.peer.host)].map((name) => parseUri(`sip:${name}`)?.host);
    return ours.includes(uri.host) || uri.host === parseNameAddress(dialog.localParty)?.uri.host;
  }

  /** A carrier means its own numbers. */
  #isOfFarEnd(uri: Uri, dialog: Dialog): boolean {
    return uri.host === parseNameAddress(dialog.remoteParty)?.uri.host;
  }

  /** Display name of the party that the far end talks to. */
  #nameOf(uri: Uri, dialog: Dialog): string {
    if (!this.#isHere(uri, dialog) || uri.user === undefined) return textOf(uri);
    const user = this.#parts.table.userNamed(uri.user);
    return user === undefined ? (numberOf(uri.user) ?? textOf(uri)) : `user:${user}`;
  }
}

/** URI text, reduced to scheme, user, host and port. */
const textOf = (uri: Uri): string => uriText(uri.user, uri, undefined);
