/**
 * Outbound call: opens media, then runs one attempt after the other, each with one target or several at once, until one
 * answers. `InviteClient` handles one target.
 * At most one `ringing`, `early_media` and `answered`; the first answer wins, and all others are cancelled; the slot in
 * a route's capacity is held until the leg ends.
 */
import { type Cause, causeOf, NO_ANSWER, NOT_SELECTED, TEMPORARY_FAILURE } from '../../../base/core/causes.ts';
import type { Timer } from '../../../base/core/clock.ts';
import { hostText } from '../../../base/core/host-text.ts';
import { defined } from '../../../base/core/json.ts';
import type { LegSip } from '../../../base/core/leg.ts';
import type { SipHeaders } from '../../../base/core/sip-headers.ts';
import type { DialRequest } from '../engine.ts';
import { CallLeg, type CallLegOptions } from './call-leg.ts';
import type { DialAttempt, RouteSlot, Target } from './carriers.ts';
import type { SipContext } from './context.ts';
import { identityOf } from './identity.ts';
import { InviteClient, type InviteFailure, type InviteUser, TIMED_OUT } from './invite-client.ts';
import type { LegSignaling } from './leg-signaling.ts';
import type { HeaderLine, SipRequest } from './message.ts';
import { type DialPlan, userOf } from './outbound-routes.ts';
import { cancelLines } from './reason.ts';
import type { SipSession } from './session.ts';
import { parseUri } from './uri.ts';

/** Maximum number of attempts in the journal, in addition to the decisive one. */
const MAX_ATTEMPTS = 10;

type OutboundEnd = Pick<InviteFailure, 'cause' | 'sipStatus' | 'headers'> & { by: 'far' | 'near' | 'network' };

export interface OutboundCallOptions extends Pick<CallLegOptions, 'ended'> {
  request: DialRequest;
  plan: DialPlan;
  /** Returns the target that a Contact of a 3xx names. Undefined if the call may not be redirected there. */
  redirected: (contact: string) => Target | undefined;
}

export class OutboundCall extends CallLeg {
  readonly #request: DialRequest;
  readonly #plan: DialPlan;
  readonly #redirected: (contact: string) => Target | undefined;
  #left: readonly DialAttempt[] = [];
  #current: DialAttempt | undefined;
  #seat: RouteSlot | undefined;
  readonly #ringing = new Set<InviteClient>();
  /** Target whose early media is played. */
  #earlyMediaFrom: InviteClient | undefined;
  #ringTimer: Timer | undefined;
  #tryTimer: Timer | undefined;
  #hasRung = false;
  #hasEarlyMedia = false;
  /** Most specific failure so far. */
  #failure: OutboundEnd | undefined;
  /** Signalling of all targets, in order. */
  readonly #signalings: LegSignaling[] = [];
  /** Target that answered, or whose failure counts. */
  #decisive: InviteClient | undefined;

  constructor(context: SipContext, { request, plan, redirected, ended }: OutboundCallOptions) {
    super(context, { legId: request.legId, nearLegId: request.nearLegId, srtp: 'off', ended });
    this.#request = request;
    this.#plan = plan;
    this.#redirected = redirected;
  }

  override get user(): string | undefined {
    return userOf(this.#request.to);
  }

  protected override get isFarEndTrusted(): boolean {
    return this.#current?.targets[0]?.carrier !== undefined;
  }

  protected override get signaling(): LegSip | undefined {
    const decisive = this.#decisive?.signaling ?? this.#signalings.at(-1);
    if (!decisive) return undefined;
    const others = this.#signalings.filter((one) => one !== decisive).slice(-MAX_ATTEMPTS);
    if (others.length === 0) return decisive.summary;
    return { ...decisive.summary, attempts: others.map(({ peer }) => peer) };
  }

  protected override onMessage(request: SipRequest): void {
    this.#decisive?.signaling.received(request);
  }

  protected override get numberDomain(): string | undefined {
    const [target] = this.#current?.targets ?? [];
    const uri = target?.carrier && parseUri(target.requestUri);
    return uri && hostText(uri.host);
  }

  start(): void {
    const plan = this.#plan;
    if ('refusal' in plan) {
      this.finish(plan.refusal, 'near');
      return;
    }
    this.#left = plan.attempts;
    this.#ringTimer = this.context.clock.after(this.#request.ringTimeoutMs, () => this.#giveUp(NO_ANSWER));
    this.withAudio(
      () => this.#next(),
      () => this.#end({ cause: causeOf(34), by: 'network' }),
    );
  }

  /** Runs the next attempt for which there is capacity. */
  #next(): void {
    for (let [next, ...left] = this.#left; next; [next, ...left] = this.#left) {
      this.#left = left;
      const full = this.#takeSeat(next.slot);
      if (!full) {
        this.#try(next);
        return;
      }
      this.#failure ??= { cause: full, by: 'near' };
    }
    this.#end(this.#failure ?? { cause: causeOf(34), by: 'near' });
  }

  #takeSeat(slot: RouteSlot | undefined): Cause | undefined {
    if (slot !== this.#seat) {
      this.#seat?.release();
      this.#seat = slot;
    }
    return slot?.acquire();
  }

  #try(next: DialAttempt): void {
    this.#current = next;
    if (this.#left.length > 0 && next.timeoutMs > 0) {
      this.#tryTimer = this.context.clock.after(next.timeoutMs, () => this.#abandon());
    }
    const clients = next.targets.map((target) => this.#clientFor(target));
    for (const client of clients) this.#ringing.add(client);
    // A target may fail while it is being started, and another one may answer meanwhile.
    for (const client of clients) if (this.#ringing.has(client)) client.start();
  }

  #clientFor(target: Target): InviteClient {
    const towards = target.peer?.host ?? parseUri(target.requestUri)?.host;
    const identity = identityOf(this.#request, target.carrier, this.context.localUriHost('udp', towards));
    const user: InviteUser = {
      legId: this.legId,
      headers: this.#request.headers,
      session: this.sessionUser,
      ringing: (headers) => this.#onRinging(headers),
      acceptsEarlyMedia: () => this.#earlyMediaFrom === undefined || this.#earlyMediaFrom === client,
      earlyMedia: () => this.#onEarlyMedia(client),
      answered: (session, headers) => this.#onAnswered(client, session, headers),
      failed: (failure) => this.#onFailed(client, failure),
      redirected: this.#redirected,
    };
    const client: InviteClient = new InviteClient(this.context, { target, identity, audio: this.audio, user });
    this.#signalings.push(client.signaling);
    return client;
  }

  #onRinging(headers: SipHeaders | undefined): void {
    this.#tryTimer?.cancel();
    if (this.#hasRung || this.over) return;
    this.#hasRung = true;
    this.context.emit(this.legId, defined({ type: 'ringing', headers }));
  }

  #onEarlyMedia(client: InviteClient): void {
    this.#tryTimer?.cancel();
    this.#earlyMediaFrom = client;
    if (this.#hasEarlyMedia || this.over) return;
    this.#hasEarlyMedia = true;
    this.context.emit(this.legId, { type: 'early_media' });
  }

  #onAnswered(client: InviteClient, session: SipSession, headers: SipHeaders | undefined): void {
    this.#ringing.delete(client);
    this.#decisive = client;
    this.session = session;
    this.#ringTimer?.cancel();
    this.#cancelAll(cancelLines(NOT_SELECTED.code));
    this.answered(headers);
  }

  #onFailed(client: InviteClient, failure: InviteFailure): void {
    this.#ringing.delete(client);
    if (this.#earlyMediaFrom === client) this.#earlyMediaFrom = undefined;
    if (this.over) return;
    this.#failure = moreSpecific(this.#failure, failure);
    if (this.#failure === failure) this.#decisive = client;
    // RFC 3261 §16.7: no other target may be tried.
    const isFinal = failure.kind === 'unusable' || (failure.sipStatus ?? 0) >= 600;
    if (isFinal) this.#cancelAll();
    else if (this.#ringing.size > 0) return;
    this.#tryTimer?.cancel();
    const mayMove = failure.kind !== 'refused' || this.#current?.failsOver(failure.sipStatus ?? 500);
    if (!isFinal && mayMove && this.#left.length > 0) this.#next();
    else this.#end(isFinal ? failure : this.#failure);
  }

  /** Gives up silent gateways, because there is another one. */
  #abandon(): void {
    const silent = [...this.#ringing];
    for (const client of silent) client.cancel('timeout');
    this.#cancelAll();
    for (const client of silent) this.#onFailed(client, TIMED_OUT);
  }

  #cancelAll(headers: readonly HeaderLine[] = []): void {
    this.#tryTimer?.cancel();
    for (const client of [...this.#ringing]) client.cancel('cancelled', headers);
    this.#ringing.clear();
  }

  protected override sessionEnded(session: SipSession, cause: Cause, by: 'far' | 'network', sipStatus?: number): void {
    if (session !== this.session) return;
    this.#end(defined({ cause, by, sipStatus }));
  }

  protected override get isReplaceable(): boolean {
    return super.isReplaceable || (!this.session && this.#ringing.size > 0);
  }

  /** RFC 3891 §3: a ringing phone is replaced by the caller, which answers the call. */
  protected override replaced(session: SipSession | undefined): void {
    if (session) {
      session.bye(16);
      return;
    }
    this.#ringTimer?.cancel();
    this.#cancelAll(cancelLines(NOT_SELECTED.code));
    this.answered();
  }

  override hangup(cause: number, headers: readonly HeaderLine[] = []): void {
    this.#giveUp(causeOf(cause), 'near', headers);
  }

  protected override mediaLost(): void {
    this.#giveUp(TEMPORARY_FAILURE, 'network');
  }

  #giveUp(cause: Cause, by: 'near' | 'network' = 'near', headers: readonly HeaderLine[] = []): void {
    if (this.over) return;
    this.session?.bye(cause.code, headers);
    this.#cancelAll(cancelLines(cause.code, headers));
    this.#end({ cause, by });
  }

  #end({ cause, by, sipStatus, headers }: OutboundEnd): void {
    this.lastHeaders ??= headers;
    this.#ringTimer?.cancel();
    this.#tryTimer?.cancel();
    this.#seat?.release();
    this.#seat = undefined;
    this.#decisive?.ended();
    this.finish(cause, by, sipStatus);
  }
}

/**
 * The decision of a person is more specific than a network failure; busy is most specific; among equals the latest
 * counts.
 */
function moreSpecific(before: OutboundEnd | undefined, now: OutboundEnd): OutboundEnd {
  return before && rankOf(before) > rankOf(now) ? before : now;
}

const rankOf = ({ by, sipStatus }: OutboundEnd): number =>
  by !== 'far' ? 0 : sipStatus === 486 || sipStatus === 600 ? 2 : 1;
