/**
 * Who may be named in a REFER, and whose calls may be taken over: translates between the words of the host (numbers, `user:NAME`, URIs, legs) and Refer-To.
 * Invariants: a far end that did not prove to be one of our users never names a number that would cost us something, nor a
 * host that the configuration does not name (toll fraud); a call is taken over by users of its own project alone, or given
 * away by who has it.
 */
import type { EngineHost } from '../engine.ts';
import { type Dialog, dialogKey } from './dialog.ts';
import type { ReferTarget } from './dialog-referrals.ts';
import { parseNameAddress } from './headers.ts';
import { numberOf } from './outbound-routes.ts';
import { replacesInUri, replacesOfUri } from './replaces.ts';
import type { SipSession } from './session.ts';
import { type Peer, peerText, type TransportName } from './transport.ts';
import type { SipLog } from './transport-layer.ts';
import { escapeUser, hostText, parseUri, type Uri } from './uri.ts';

export interface ReferPolicyParts {
  sessions: ReadonlyMap<string, SipSession>;
  sessionOfLeg: (legId: string) => SipSession | undefined;
  /** As configured, however it is written. */
  userNamed: (name: string) => string | undefined;
  /** Hosts, lower-case, that SIP URIs may name. */
  allowSipUris: readonly string[];
  /** A carrier of ours is there: what it is asked for costs money. */
  isCarrier(host: string): boolean;
  /** Whose a call, or a user, is. */
  projectOf: NonNullable<EngineHost['projectOf']>;
  log: SipLog;
  /** No route leads anywhere: no number costs anything. */
  isFree(): boolean;
  /** `host:port` of ours, as who is at `towards` knows it. */
  here(transport?: TransportName, towards?: string): string;
}

export interface Referrer {
  legId: string;
  dialog: Dialog;
  /** One of our users, who proved to be that or was called as such: whose numbers may cost us something. */
  user: string | undefined;
}

export interface ReferPlaces {
  /** Where the far end finds numbers. */
  domain: string;
  /** Where it finds us. */
  home: string;
}

const LONGEST_URI = 256;

export class ReferPolicy {
  readonly #parts: ReferPolicyParts;

  constructor(parts: ReferPolicyParts) {
    this.#parts = parts;
  }

  /** What a Refer-To of a far end means here. */
  targetOf(uri: Uri, referrer: Referrer): ReferTarget {
    const replaces = replacesOfUri(uri.headers);
    if (replaces === false) return { status: 400 };
    if (replaces) {
      const { sessions } = this.#parts;
      const session = sessions.get(dialogKey(replaces.callId, replaces.toTag, replaces.fromTag));
      if (!session?.isConfirmed || session.legId === referrer.legId) return { status: 481 };
      // As for one that is not there: who may not take it learns nothing.
      if (!this.#mayMerge(session, referrer)) return { status: 481 };
      return { to: this.#nameOf(uri, referrer.dialog), replacesLegId: session.legId };
    }
    const name = uri.user;
    const isOurs = uri.scheme === 'tel' || this.#isHere(uri, referrer.dialog);
    const user = isOurs && name !== undefined ? this.#parts.userNamed(name) : undefined;
    if (user !== undefined) return { to: `user:${user}` };
    if (!isOurs && this.#mayName(uri, referrer)) return { to: this.#textOf(uri) };
    const number = name === undefined ? undefined : numberOf(name);
    if (number === undefined || (!isOurs && !this.#isOfFarEnd(uri, referrer.dialog))) return { status: 404 };
    return referrer.user !== undefined || this.#parts.isFree() ? { to: number } : { status: 403 };
  }

  /** Whether this user may take the place of the far end there (RFC 3891); told to the log where not. */
  mayReplace(legId: string, user: string | undefined, source: Peer): boolean {
    return this.#isOfUser(legId, user) || this.#refused(legId, user, source);
  }

  /** Two calls of one project are merged by its users, and by who has both. */
  #mayMerge({ legId, dialog }: SipSession, { legId: ofReferrer, dialog: own, user }: Referrer): boolean {
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

  /** Through a proxy or a carrier many call, and nobody can tell them apart. */
  #isSameFarEnd(one: Dialog, other: Dialog): boolean {
    if (one.relayed || other.relayed || this.#parts.isCarrier(one.peer.host)) return false;
    return peerText(one.peer) === peerText(other.peer);
  }

  /** The URI that a far end is asked to call; undefined when there is none for it. */
  referTo(to: string, replacesLegId: string | undefined, { domain, home }: ReferPlaces): string | undefined {
    if (replacesLegId !== undefined) {
      const session = this.#parts.sessionOfLeg(replacesLegId);
      if (!session?.isConfirmed) return undefined;
      const { callId, localTag, remoteTag, remoteTarget } = session.dialog;
      // As its far end knows it: our tag is that of the other there.
      const replaces = replacesInUri({ callId, toTag: remoteTag, fromTag: localTag });
      return `${remoteTarget.split('?', 1)[0]}?${replaces}`;
    }
    const text = to.trim();
    if (text.startsWith('user:')) {
      const name = this.#parts.userNamed(text.slice('user:'.length));
      return name === undefined ? undefined : `sip:${escapeUser(name)}@${home}`;
    }
    if (/^sips?:/i.test(text)) {
      const uri = text.length <= LONGEST_URI ? parseUri(text) : undefined;
      return uri && uri.host !== '' && uri.headers === undefined ? uri.text : undefined;
    }
    const number = numberOf(text);
    return number === undefined ? undefined : `sip:${escapeUser(number)}@${domain}`;
  }

  /** A host that may be dialled by name may be a carrier's, too. */
  #mayName({ scheme, host }: Uri, { user }: Referrer): boolean {
    const { allowSipUris, isCarrier } = this.#parts;
    return scheme.startsWith('sip') && allowSipUris.includes(host) && (user !== undefined || !isCarrier(host));
  }

  /** By our own name, or by the one that the far end has for us. */
  #isHere(uri: Uri, dialog: Dialog): boolean {
    const { here } = this.#parts;
    const ours = [here(), here('udp', dialog.peer.host)].map((name) => parseUri(`sip:${name}`)?.host);
    return ours.includes(uri.host) || uri.host === parseNameAddress(dialog.localParty)?.uri.host;
  }

  /** A carrier means its own numbers. */
  #isOfFarEnd(uri: Uri, dialog: Dialog): boolean {
    return uri.host === parseNameAddress(dialog.remoteParty)?.uri.host;
  }

  /** For people: whom the far end talks to. */
  #nameOf(uri: Uri, dialog: Dialog): string {
    if (!this.#isHere(uri, dialog) || uri.user === undefined) return this.#textOf(uri);
    const user = this.#parts.userNamed(uri.user);
    return user === undefined ? (numberOf(uri.user) ?? this.#textOf(uri)) : `user:${user}`;
  }

  /** Only what names the place is kept. */
  #textOf(uri: Uri): string {
    const user = uri.user === undefined ? '' : `${escapeUser(uri.user)}@`;
    return `${uri.scheme}:${user}${hostText(uri.host)}${uri.port === undefined ? '' : `:${uri.port}`}`;
  }
}
