/**
 * The door for requests: refuses what cannot be served, in the order of RFC 3261 §8.2, finds the session of what belongs
 * to one, and hands new calls and registrations on.
 * Neighbours: transactions below, sessions and the engine above.
 */
import type { IncomingLeg } from '../engine.ts';
import { type Authenticator, isSameUser } from './auth.ts';
import { ALLOW, EXTENSIONS, METHODS, type SipContext, SUPPORTED } from './context.ts';
import { dialogKey } from './dialog.ts';
import { mediaHost, speakerOf } from './media-path.ts';
import { decodeText, type HeaderLine, headerOf, listOf, mediaType, type SipRequest } from './message.ts';
import type { NoiseGuard } from './noise-guard.ts';
import type { Registrar } from './registrar.ts';
import { readDescription, SDP_TYPE } from './sdp.ts';
import { serverTerms } from './session-timer.ts';
import type { ServerHandler, ServerTransaction } from './transactions.ts';
import { peerText } from './transport.ts';

export interface UserAgentParts {
  context: SipContext;
  authenticator: Authenticator;
  registrar: Registrar;
  guard: NoiseGuard;
  /** Callers who claim to be one of our users have to prove it. */
  requireAuth: boolean;
  acceptsCalls: () => boolean;
  call(invite: ServerTransaction, leg: Omit<IncomingLeg, 'legId'>): void;
}

const KNOWN_METHODS = new Set(METHODS.split(', '));
const KNOWN_SCHEMES = new Set(['sip', 'sips', 'tel']);
const KNOWN_EXTENSIONS = new Set(EXTENSIONS.split(', '));
const SDP_METHODS = new Set(['INVITE', 'UPDATE', 'PRACK']);
const LONGEST_NAME = 128;

interface Refusal {
  status: number;
  reason?: string;
  headers?: HeaderLine[];
}

export function createUserAgent(parts: UserAgentParts): ServerHandler {
  const { context, registrar } = parts;
  return {
    request(transaction) {
      const { request } = transaction;
      const refusal = refusalOf(request);
      if (refusal) return transaction.respond(refusal.status, refusal);
      if (request.method === 'CANCEL') return receiveCancel(context, transaction);
      const toTag = request.to.params['tag'];
      if (toTag !== undefined && request.method !== 'REGISTER') {
        const session = sessionOf(context, request, toTag);
        return session ? session.receive(transaction) : transaction.respond(481);
      }
      switch (request.method) {
        case 'INVITE':
          return receiveCall(parts, transaction);
        case 'REGISTER':
          return registrar.receive(transaction);
        case 'OPTIONS':
          return transaction.respond(200, { headers: [ALLOW, SUPPORTED, ['Accept', SDP_TYPE]] });
        default:
          return transaction.respond(481);
      }
    },
    ack(request, source) {
      const toTag = request.to.params['tag'];
      if (toTag !== undefined) sessionOf(context, request, toTag)?.receiveAck(request, source);
    },
  };
}

const sessionOf = (context: SipContext, request: SipRequest, toTag: string) =>
  context.sessions.get(dialogKey(request.callId, toTag, request.from.params['tag'] ?? ''));

/** What no request may be or ask for. */
function refusalOf(request: SipRequest): Refusal | undefined {
  const { method } = request;
  if (!KNOWN_METHODS.has(method)) return { status: 405, headers: [ALLOW] };
  if (!KNOWN_SCHEMES.has(request.uri.scheme)) return { status: 416 };
  if (method === 'CANCEL') return undefined;
  const unsupported = listOf(request, 'require').filter((option) => !KNOWN_EXTENSIONS.has(option.toLowerCase()));
  if (unsupported.length > 0) return { status: 420, headers: [['Unsupported', unsupported.join(', ')]] };
  return SDP_METHODS.has(method) && request.body.length > 0 ? bodyRefusal(request) : undefined;
}

/** §8.2.3 */
function bodyRefusal(request: SipRequest): Refusal | undefined {
  if (/;\s*handling\s*=\s*optional/i.test(headerOf(request, 'content-disposition') ?? '')) {
    request.body = Buffer.alloc(0);
    return undefined;
  }
  const encoding = (headerOf(request, 'content-encoding') ?? 'identity').toLowerCase();
  if (encoding !== 'identity') return { status: 415, headers: [['Accept-Encoding', 'identity']] };
  const type = headerOf(request, 'content-type');
  if (type === undefined) return { status: 400, reason: 'Missing Content-Type' };
  return mediaType(type) === SDP_TYPE ? undefined : { status: 415, headers: [['Accept', SDP_TYPE]] };
}

/** §9.2 */
function receiveCancel(context: SipContext, transaction: ServerTransaction): void {
  const invite = context.transactions.inviteOf(transaction.request);
  if (!invite) {
    transaction.respond(481);
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
    invite.respond(refusal.status, refusal);
    return;
  }
  // As the host will see it: what is left out there must not make another name of it here.
  const caller = plain(request.from.uri.user ?? 'anonymous');
  let user: string | undefined;
  if (parts.requireAuth && parts.authenticator.has(caller)) {
    const verdict = parts.authenticator.check(request);
    if (verdict.kind === 'challenge') {
      invite.respond(401, { headers: parts.authenticator.challenge(verdict.stale) });
      return;
    }
    if (verdict.kind === 'refused') parts.guard.failedLogin(source.host);
    if (verdict.kind === 'refused' || !isSameUser(verdict.name, caller)) {
      invite.respond(403);
      return;
    }
    user = verdict.name;
  }
  const leg: Omit<IncomingLeg, 'legId'> = {
    from: caller,
    to: plain(request.uri.user ?? ''),
    sipCallId: plain(request.callId),
    remote: peerText(source),
  };
  const fromName = plain(decodeText(request.from.displayName ?? ''));
  if (fromName !== '') leg.fromName = fromName;
  if (user !== undefined) leg.user = user;
  parts.call(invite, leg);
}

/** What a new call may not be, on top of `refusalOf`. */
function callRefusal(parts: UserAgentParts, { request, source }: ServerTransaction): Refusal | undefined {
  if (!parts.acceptsCalls()) return { status: 503 };
  // RFC 7332 §5: we may call on, so the hop count is ours to watch.
  if (Number(headerOf(request, 'max-forwards') ?? 70) === 0) return { status: 483 };
  if (!acceptsSdp(request)) return { status: 406 };
  if (request.uri.user === undefined) return { status: 404 };
  const timer = serverTerms(request, parts.context.sessionTimer);
  if (timer.kind === 'tooSmall') return { status: 422, headers: timer.headers };
  if (request.body.length === 0) return undefined;
  const offer = readDescription(request.body.toString('utf8'));
  if (!offer) return { status: 400, reason: 'Malformed session description' };
  return offer.audio && mediaHost(offer.audio.host, speakerOf(request, source)) ? undefined : { status: 488 };
}

function acceptsSdp(request: SipRequest): boolean {
  if (request.headers['accept'] === undefined) return true;
  const accepted = listOf(request, 'accept').map(mediaType);
  return (
    accepted.length === 0 || accepted.some((type) => type === SDP_TYPE || type === 'application/*' || type === '*/*')
  );
}

/** Text for people and logs: no control characters, bounded. */
const plain = (text: string): string => text.replace(/[\x00-\x1f\x7f]/g, '').slice(0, LONGEST_NAME);
