/**
 * Dialogs (RFC 3261 §12): the two parties, the targets of requests, and CSeq numbers. Data and pure functions;
 * `session.ts` handles the requests.
 */
import { parseNameAddress } from './headers.ts';
import {
  contactUri,
  type HeaderLine,
  headerOf,
  listOf,
  type MessageBody,
  type OutgoingRequest,
  type SipRequest,
  type SipResponse,
} from './message.ts';
import type { Peer } from './transport.ts';

export interface Dialog {
  callId: string;
  localTag: string;
  /** True if the INVITE that created the dialog was sent from here. */
  ownsCallId: boolean;
  /** Empty for an RFC 2543 peer that sends none (§12.1.1). */
  remoteTag: string;
  /** From of requests from here, with tag. */
  localParty: string;
  /** To of requests from here, with tag. */
  remoteParty: string;
  remoteTarget: string;
  routeSet: readonly string[];
  localCseq: number;
  /** Highest CSeq of the far end; undefined before its first request. */
  remoteCseq: number | undefined;
  /** Source of the far end's messages: the next hop if its Contact is not reachable from here. */
  peer: Peer;
  /** True if the far end is behind a NAT or on its own connection, and is reached through `peer`. */
  viaPeer: boolean;
  /** RFC 3261 §12.1: true if created by a SIPS URI; the local Contact is SIPS, too. */
  secure: boolean;
  /** True if `peer` is a proxy, judged by the first message. */
  relayed: boolean;
}

export const dialogKey = (callId: string, localTag: string, remoteTag: string): string =>
  `${callId}\n${localTag}\n${remoteTag}`;

export const keyOf = (dialog: Dialog): string => dialogKey(dialog.callId, dialog.localTag, dialog.remoteTag);

/** §12.1.1: the dialog created by the local response to `request`. */
export function dialogOfServer(request: SipRequest, localTag: string, source: Peer): Dialog {
  const to = headerOf(request, 'to') ?? '';
  return {
    callId: request.callId,
    ownsCallId: false,
    localTag,
    remoteTag: request.from.params['tag'] ?? '',
    localParty: request.to.params['tag'] === undefined ? `${to};tag=${localTag}` : to,
    remoteParty: headerOf(request, 'from') ?? '',
    // An RFC 2543 peer may send no Contact; its From is the best guess.
    remoteTarget: (contactUri(request) ?? request.from.uri).text,
    routeSet: listOf(request, 'record-route'),
    localCseq: 0,
    remoteCseq: request.cseq.number,
    peer: source,
    viaPeer: !hasProxy(request) && (source.transport !== 'udp' || request.via.host !== source.host),
    secure: request.uri.scheme === 'sips',
    relayed: isRelayed(request),
  };
}

/** True if the source of the packet is not the far end. */
const hasProxy = (request: SipRequest): boolean => listOf(request, 'via').length > 1;

/** True if a proxy in between has left its name. */
export const isRelayed = (request: SipRequest): boolean =>
  hasProxy(request) || request.headers['record-route'] !== undefined;

/** §12.1.1: a response that creates a dialog repeats the Record-Route of its request. */
export const recordRoutes = (request: SipRequest): HeaderLine[] =>
  listOf(request, 'record-route').map((value) => ['Record-Route', value]);

/** §12.1.2: the dialog created by `response` to the local `request`. */
export function dialogOfClient(request: OutgoingRequest, response: SipResponse, peer: Peer, viaPeer: boolean): Dialog {
  return {
    callId: request.callId,
    ownsCallId: true,
    localTag: response.from.params['tag'] ?? '',
    remoteTag: response.to.params['tag'] ?? '',
    localParty: request.from,
    remoteParty: headerOf(response, 'to') ?? request.to,
    remoteTarget: contactUri(response)?.text ?? request.uri,
    routeSet: listOf(response, 'record-route').reverse(),
    localCseq: request.cseq,
    remoteCseq: undefined,
    peer,
    viaPeer,
    secure: request.uri.startsWith('sips:'),
    relayed: response.headers['record-route'] !== undefined,
  };
}

export interface InDialog {
  headers?: readonly HeaderLine[];
  body?: MessageBody;
  /** ACK and CANCEL have the number of their INVITE. */
  cseq?: number;
}

/** §12.2.1.1, with a strict router as the first hop if the route set starts with one. */
export function requestWithin(dialog: Dialog, method: string, { headers, body, cseq }: InDialog = {}): OutgoingRequest {
  const first = dialog.routeSet[0];
  const firstUri = first === undefined ? undefined : parseNameAddress(first)?.uri;
  const strict = firstUri !== undefined && firstUri.params['lr'] === undefined;
  const request: OutgoingRequest = {
    method,
    uri: strict ? firstUri.text : dialog.remoteTarget,
    routes: strict ? [...dialog.routeSet.slice(1), `<${dialog.remoteTarget}>`] : dialog.routeSet,
    from: dialog.localParty,
    to: dialog.remoteParty,
    callId: dialog.callId,
    cseq: cseq ?? ++dialog.localCseq,
    headers: headers ?? [],
  };
  if (body) request.body = body;
  return request;
}

/** URI of the next hop: the first route, loose or strict, else the target (§8.1.2). */
export function hopOf(dialog: Dialog): string {
  const first = dialog.routeSet[0];
  return (first === undefined ? undefined : parseNameAddress(first)?.uri.text) ?? dialog.remoteTarget;
}

/** §12.2.2: false if `request` is older than a previous one; otherwise its number is recorded. */
export function takesCseq(dialog: Dialog, request: SipRequest): boolean {
  if (dialog.remoteCseq !== undefined && request.cseq.number <= dialog.remoteCseq) return false;
  dialog.remoteCseq = request.cseq.number;
  return true;
}

/** The far end is reached at the source of its requests, and has a new connection or NAT binding. */
export function followSource(dialog: Dialog, request: SipRequest, source: Peer): void {
  if (dialog.viaPeer && !hasProxy(request)) dialog.peer = source;
}

/** §12.2.1.2 and §12.2.2: a target refresh changes the remote target. */
export function refreshTarget(dialog: Dialog, message: SipRequest | SipResponse): void {
  const contact = contactUri(message);
  if (contact) dialog.remoteTarget = contact.text;
}
