/**
 * Dispatches requests: refuses those that cannot be processed, in the order of RFC 3261 §8.2, finds the session of
 * requests within a dialog, and passes on new calls and registrations.
 */
import { decodeText } from '../../../base/core/byte-text.ts';
import { internationalNumber } from '../../../base/core/phone-number.ts';
import type { IncomingLeg } from '../engine.ts';
import type { AbuseGuard, InviteRefusal } from './abuse-guard.ts';
import type { Admission } from './admission.ts';
import { type Authenticator, type DigestResult, isSameUser, usernameOf } from './auth.ts';
import type { CarrierSource, CarrierSources } from './carrier-sources.ts';
import { gatewayNameOf } from './carriers.ts';
import { ALLOW, EXTENSIONS, METHODS, type SipContext, SUPPORTED } from './context.ts';
import { dialogKey } from './dialog.ts';
import type { DialogSession } from './dialog-session.ts';
import { parseNameAddress } from './headers.ts';
import type { CallerIdentity } from './inbound-call.ts';
import { mediaHost, signalingSourceOf } from './media-path.ts';
import { type HeaderLine, headerOf, listOf, mediaType, plainText, RETRY_SOON, type SipRequest } from './message.ts';
import { extractDescription } from './message-body.ts';
import { isNumber } from './outbound-routes.ts';
import { readDescription } from './plain-description.ts';
import type { Registrar } from './registrar.ts';
import { parseReplaces, replacedSession } from './replaces.ts';
import { SDP_TYPE } from './sdp.ts';
import type { ServerTransaction } from './server-transaction.ts';
import { serverTerms } from './session-timer.ts';
import { type SrtpPolicy, srtpPolicy } from './srtp-policy.ts';
import type { ServerHandler } from './transactions.ts';
import { peerText } from './transport.ts';
import type { UnknownCallers } from './unknown-callers.ts';
import { withoutNumberParams } from './uri.ts';

export interface UserAgentParts {
  context: SipContext;
  authenticator: Authenticator;
  registrar: Registrar;
  guard: AbuseGuard;
  admission: Admission;
  /** Identifies carriers, by address and certificate. */
  sources: Pick<CarrierSources, 'isCarrier' | 'find'>;
  /** True if a registration with a carrier has this contact. */
  isContact(user: string): boolean;
  unknownCallers: UnknownCallers;
  /** Returns the configured SRTP policy of this user. */
  srtpOf: (user: string) => SrtpPolicy | undefined;
  /** True if callers who claim to be a local user have to authenticate. */
  requireAuth: boolean;
  acceptsCalls: () => boolean;
  call(invite: ServerTransaction, leg: Omit<IncomingLeg, 'legId'>, caller: CallerIdentity): void;
  /** The caller replaces the far end of a leg. */
  takeOver(legId: string, invite: ServerTransaction, srtp: SrtpPolicy): void;
}

const KNOWN_METHODS = new Set(METHODS.split(', '));
const KNOWN_SCHEMES = new Set(['sip', 'sips', 'tel']);
/** A phone behind an edge proxy may require support for its Path. */
const KNOWN_EXTENSIONS = new Set([...EXTENSIONS.split(', '), 'path']);
/** Known but unsupported: RFC 6665 and RFC 3903 define their own status. */
const EVENT_METHODS = new Set(['SUBSCRIBE', 'PUBLISH']);
const SDP_METHODS = new Set(['INVITE', 'UPDATE', 'PRACK']);

interface RequestRefusal {
  status: number;
  reason?: string;
  headers?: HeaderLine[];
  /** Reason for the figures, if the status does not imply it. */
  why?: InviteRefusal;
}

const TOO_FAST: RequestRefusal = { status: 503, headers: RETRY_SOON, why: 'rate_limit' };
const SOURCE_FULL: RequestRefusal = { status: 503, headers: RETRY_SOON, why: 'source_limit' };

/** RFC 3261 §21.5.4: clients with another server use that one for this time. */
const DRAINING: RequestRefusal = { status: 503, headers: [['Retry-After', '60']], why: 'draining' };

const WHY: Readonly<Record<number, InviteRefusal>> = {
  400: 'malformed',
  403: 'forbidden',
  404: 'malformed',
  406: 'not_acceptable',
  415: 'not_acceptable',
  481: 'not_replaceable',
  483: 'loop',
  486: 'not_replaceable',
  488: 'not_acceptable',
  603: 'not_replaceable',
};

/** Authenticated user, or refusal. */
type CallerProof = { user?: string } | RequestRefusal;

/**
 * Refuses a request. An unverified sender gets the response once, so that the engine cannot be used to flood others.
 */
function refuse(
  parts: UserAgentParts,
  transaction: ServerTransaction,
  { why, ...refusal }: RequestRefusal,
  isVerified = parts.sources.isCarrier(transaction.source),
): void {
  const { status, ...extras } = refusal;
  const { method, to } = transaction.request;
  // A challenge is not a refusal.
  if (method === 'INVITE' && to.params['tag'] === undefined && status !== 401)
    parts.guard.invitesRefused.add(why ?? WHY[status] ?? 'not_supported');
  if (isVerified) transaction.respond(status, extras);
  else transaction.respondStatelessly(status, extras);
}

export function createUserAgent(parts: UserAgentParts): ServerHandler {
  const { context, registrar } = parts;
  return {
    admits: (request, source) => parts.admission.admits(request, source),
    request(transaction) {
      const { request } = transaction;
      const refusal = refusalOf(request);
      if (refusal) return refuse(parts, transaction, refusal);
      if (request.method === 'CANCEL') return receiveCancel(parts, transaction);
      const toTag = request.to.params['tag'];
      if (toTag !== undefined && request.method !== 'REGISTER') {
        const session = sessionOf(context, request, toTag);
        return session ? session.receive(transaction) : refuse(parts, transaction, { status: 481 });
      }
      switch (request.method) {
        case 'INVITE':
          if (!parts.admission.takesCall(request, transaction.source)) return refuse(parts, transaction, TOO_FAST);
          return receiveCall(parts, transaction);
        case 'REGISTER':
          return registrar.receive(transaction);
        case 'OPTIONS':
          if (!parts.acceptsCalls()) return refuse(parts, transaction, DRAINING);
          return transaction.respond(200, { headers: [ALLOW, SUPPORTED, ['Accept', SDP_TYPE]] });
        case 'REFER':
          // RFC 3515 §2.4.2: only the peer of a dialog may request a call.
          return refuse(parts, transaction, { status: 403 });
        default:
          return refuse(parts, transaction, { status: 481 });
      }
    },
    ack(request, source) {
      extractDescription(request);
      const toTag = request.to.params['tag'];
      if (toTag !== undefined) sessionOf(context, request, toTag)?.receiveAck(request, source);
    },
  };
}

const sessionOf = (context: SipContext, request: SipRequest, toTag: string) =>
  context.sessions.get(dialogKey(request.callId, toTag, request.from.params['tag'] ?? ''));

/** Returns the refusal that applies to any request. */
function refusalOf(request: SipRequest): RequestRefusal | undefined {
  const { method } = request;
  if (EVENT_METHODS.has(method)) return { status: 489, headers: [ALLOW, ['Allow-Events', 'refer']] };
  if (!KNOWN_METHODS.has(method)) return { status: 405, headers: [ALLOW] };
  if (!KNOWN_SCHEMES.has(request.uri.scheme)) return { status: 416 };
  if (method === 'CANCEL') return undefined;
  const unsupported = listOf(request, 'require').filter((option) => !KNOWN_EXTENSIONS.has(option.toLowerCase()));
  if (unsupported.length > 0) return { status: 420, headers: [['Unsupported', unsupported.join(', ')]] };
  return SDP_METHODS.has(method) && request.body.length > 0 ? bodyRefusal(request) : undefined;
}

/** §8.2.3 */
function bodyRefusal(request: SipRequest): RequestRefusal | undefined {
  if (/;\s*handling\s*=\s*optional/i.test(headerOf(request, 'content-disposition') ?? '')) {
    request.body = Buffer.alloc(0);
    return undefined;
  }
  const encoding = (headerOf(request, 'content-encoding') ?? 'identity').toLowerCase();
  if (encoding !== 'identity') return { status: 415, headers: [['Accept-Encoding', 'identity']] };
  const type = headerOf(request, 'content-type');
  if (type === undefined) return { status: 400, reason: 'Missing Content-Type' };
  const parts = extractDescription(request);
  if (parts === 'malformed') return { status: 400, reason: 'Malformed multipart body' };
  const isTaken = parts === 'taken' && mediaType(headerOf(request, 'content-type')) === SDP_TYPE;
  return isTaken ? undefined : { status: 415, headers: [['Accept', `${SDP_TYPE}, multipart/mixed`]] };
}

/** §9.2 */
function receiveCancel(parts: UserAgentParts, transaction: ServerTransaction): void {
  const invite = parts.context.transactions.inviteOf(transaction.request);
  if (!invite) {
    refuse(parts, transaction, { status: 481 });
    return;
  }
  transaction.toTag = invite.toTag;
  transaction.respond(200);
  if (!invite.answered) invite.onCancel(transaction.request);
}

function receiveCall(parts: UserAgentParts, invite: ServerTransaction): void {
  const { request, source } = invite;
  const refusal = callRefusal(parts, invite);
  if (refusal) {
    refuse(parts, invite, refusal);
    return;
  }
  const carrier = parts.sources.find(source);
  const isCarrier = carrier !== undefined;
  const { from, fromName } = callerOf(request, isCarrier);
  const replaces = request.headers['replaces'];
  // Until the caller is authenticated.
  invite.onCancel = () => invite.respond(487);
  proofOf(parts, invite, isCarrier, replaces === undefined ? from : undefined, (proof) => {
    if (invite.answered) return;
    invite.onCancel = () => {};
    receiveProvedCall(parts, invite, { carrier, from, fromName, replaces, proof });
  });
}

interface ProvedCall {
  carrier: CarrierSource | undefined;
  from: string;
  fromName: string;
  replaces: readonly string[] | undefined;
  proof: CallerProof;
}

function receiveProvedCall(parts: UserAgentParts, invite: ServerTransaction, call: ProvedCall): void {
  const { request, source } = invite;
  const { replaces, proof } = call;
  if ('status' in proof) {
    // A response to a challenge proves the address; other addresses may be forged.
    refuse(parts, invite, proof, call.carrier !== undefined || proof.status !== 401);
    return;
  }
  // A local phone may be at the address of a carrier, and is not the carrier.
  const isPhone = proof.user !== undefined;
  const carrier = isPhone ? undefined : call.carrier;
  const isCarrier = carrier !== undefined;
  const { from, fromName } = isPhone && call.carrier ? callerOf(request, false) : call;
  if (proof.user !== undefined && !parts.admission.takesCallOf(proof.user)) {
    refuse(parts, invite, TOO_FAST, true);
    return;
  }
  const isVerified = proof.user !== undefined || isCarrier;
  const said = proof.user === undefined ? carrier?.srtp : parts.srtpOf(proof.user);
  const srtp = srtpPolicy({ ofThis: said, ofAll: parts.context.srtp }, source.transport);
  if (!takesSound(request, srtp)) {
    refuse(parts, invite, { status: 488 }, isVerified);
    return;
  }
  if (replaces) {
    receiveReplacement(parts, invite, { lines: replaces, srtp, user: proof.user });
    return;
  }
  const country = carrier?.gateway.route.country;
  const completed = (number: string): string => (country === undefined ? number : internationalNumber(number, country));
  const leg: Omit<IncomingLeg, 'legId'> = {
    from: completed(from),
    to: completed(calleeOf(parts, request, isCarrier)),
    remote: peerText(source),
  };
  if (fromName !== '') leg.fromName = fromName;
  const headers = parts.context.readHeaders(request, isCarrier);
  if (headers) leg.headers = headers;
  if (proof.user !== undefined) leg.user = proof.user;
  const limitedBy = proof.user === undefined ? parts.admission.sourceOf(source) : `user ${proof.user}`;
  if (limitedBy !== undefined) leg.source = limitedBy;
  if (isVerified) {
    parts.call(invite, leg, { ...proof, isCarrier, srtp, gateway: carrier && gatewayNameOf(carrier.gateway) });
    return;
  }
  const slot = parts.unknownCallers.acquire(source);
  if (!slot) {
    if (parts.guard.isFirstReport(source.host, 'full'))
      parts.context.log('warn', 'sip.source_full', { source: peerText(source) });
    refuse(parts, invite, SOURCE_FULL);
    return;
  }
  const mayBeUser = parts.requireAuth && !parts.authenticator.isEmpty;
  const challenge = () => parts.authenticator.challenge(false, source);
  parts.call(invite, leg, { isCarrier, srtp, slot, ...(mayBeUser ? { challenge } : {}) });
}

/**
 * Returns the caller as the host sees it. A carrier asserts the identity of its customers (RFC 3325 §9.1), unless they
 * request privacy (RFC 3323 §4.2).
 */
function callerOf(request: SipRequest, isCarrier: boolean): { from: string; fromName: string } {
  const written = request.from;
  const asserted = listOf(request, 'p-asserted-identity')
    .map(parseNameAddress)
    .find((one) => one?.uri.user);
  const isPrivate = listOf(request, 'privacy').some((value) => /(^|;)\s*(id|user|header)\s*(;|$)/i.test(value));
  const taken = isCarrier && asserted && !isPrivate ? asserted : written;
  const hidden = isCarrier && isPrivate;
  return {
    from: hidden ? 'anonymous' : plainText(withoutNumberParams(taken.uri.user ?? 'anonymous')),
    fromName: hidden ? '' : plainText(decodeText(taken.displayName ?? written.displayName ?? '')),
  };
}

/** Returns the callee. A call through a registration is sent to the local contact; the dialled number is in To. */
function calleeOf(parts: UserAgentParts, request: SipRequest, isCarrier: boolean): string {
  const user = withoutNumberParams(request.uri.user ?? '');
  if (!isCarrier || !parts.isContact(user)) return plainText(user);
  const named = parseNameAddress(headerOf(request, 'p-called-party-id') ?? '')?.uri.user ?? request.to.uri.user ?? '';
  const called = withoutNumberParams(named);
  return plainText(isNumber(called) ? called : user);
}

/**
 * Authenticates the caller. Authentication is required from every caller with the name of a local user or with
 * credentials and, if no name is claimed, from every caller. Carriers are known by address; numbers of their customers
 * may look like names of local users, and a phone at that address is a local one if it has credentials.
 */
function proofOf(
  parts: UserAgentParts,
  invite: ServerTransaction,
  isCarrier: boolean,
  claimed: string | undefined,
  done: (proof: CallerProof) => void,
): void {
  const { authenticator, guard } = parts;
  const gives = usernameOf(invite.request, authenticator.realm) !== undefined;
  const isPhone = claimed !== undefined && isCarrier && gives;
  const caller = isPhone ? callerOf(invite.request, false).from : claimed;
  const isNamed = caller === undefined || authenticator.has(caller);
  if (!parts.requireAuth || (caller !== undefined && isCarrier && !gives) || (!isNamed && !gives)) {
    done({});
    return;
  }
  const proofBy = (result: DigestResult): CallerProof => {
    if (result.kind === 'unavailable') return { status: 503, headers: RETRY_SOON, why: 'store_away' };
    if (result.kind === 'challenge')
      return { status: 401, headers: authenticator.challenge(result.stale, invite.source) };
    if (result.kind === 'refused') {
      guard.failedLogin(invite.source.host, result.name);
      return { status: 403 };
    }
    if (caller === undefined || isSameUser(result.name, caller)) return { user: result.name };
    return isNamed ? { status: 403 } : {};
  };
  authenticator.check(invite.request, invite.source, (result) => done(proofBy(result)));
}

function receiveReplacement(
  parts: UserAgentParts,
  invite: ServerTransaction,
  { lines, srtp, user }: { lines: readonly string[]; srtp: SrtpPolicy; user: string | undefined },
): void {
  const replaces = lines.length === 1 ? parseReplaces(lines[0]!) : undefined;
  if (!replaces) {
    refuse(parts, invite, { status: 400, reason: 'Malformed Replaces' }, true);
    return;
  }
  const session = replacedSession(parts.context.sessions, replaces);
  // A call of another project looks like one that does not exist.
  const isTheirs = session !== undefined && parts.context.referrals.mayReplace(session.legId, user, invite.source);
  const refusal = replacementRefusal(isTheirs ? session : undefined, replaces.earlyOnly);
  if (refusal === undefined) parts.takeOver(session!.legId, invite, srtp);
  else refuse(parts, invite, { status: refusal }, true);
}

/** RFC 3891 §3 */
function replacementRefusal(session: DialogSession | undefined, earlyOnly: boolean): number | undefined {
  if (!session) return 481;
  if (!session.isLive) return 603;
  if (session.isConfirmed) return earlyOnly ? 486 : undefined;
  // An early dialog that was started by the far end cannot be handed over.
  return session.dialog.ownsCallId ? undefined : 481;
}

/** True if the INVITE replaces a party of a live call (RFC 3891); its permission is checked later. */
function isForLiveCall({ context }: UserAgentParts, { headers }: SipRequest): boolean {
  const named = parseReplaces(headers['replaces']?.[0] ?? '');
  return named !== undefined && replacedSession(context.sessions, named)?.isLive === true;
}

/** Returns the refusal that applies to new calls, in addition to `refusalOf`. */
function callRefusal(parts: UserAgentParts, { request, source }: ServerTransaction): RequestRefusal | undefined {
  if (!parts.acceptsCalls() && !isForLiveCall(parts, request)) return DRAINING;
  // RFC 7332 §5: the call may be forwarded, so that the hop count is checked.
  if (Number(headerOf(request, 'max-forwards') ?? 70) === 0) return { status: 483 };
  if (!acceptsSdp(request)) return { status: 406 };
  if (request.uri.user === undefined) return { status: 404 };
  const timer = serverTerms(request, parts.context.sessionTimer);
  if (timer.isTooShort) return { status: 422, headers: timer.headers };
  if (request.body.length === 0) return undefined;
  // The SRTP policy depends on the caller, who is not authenticated yet.
  const offer = readDescription(request.body.toString('utf8'), 'optional');
  if (!offer) return { status: 400, reason: 'Malformed session description' };
  return offer.audio && mediaHost(offer.audio.host, signalingSourceOf(request, source)) ? undefined : { status: 488 };
}

/** True if the offer has audio that this caller's policy permits. */
const takesSound = (request: SipRequest, srtp: SrtpPolicy): boolean =>
  request.body.length === 0 || readDescription(request.body.toString('utf8'), srtp)?.audio !== undefined;

function acceptsSdp(request: SipRequest): boolean {
  if (request.headers['accept'] === undefined) return true;
  const accepted = listOf(request, 'accept').map(mediaType);
  return (
    accepted.length === 0 || accepted.some((type) => type === SDP_TYPE || type === 'application/*' || type === '*/*')
  );
}
