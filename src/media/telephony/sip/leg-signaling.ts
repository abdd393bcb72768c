/**
 * Summary of the signalling of one INVITE, outbound or inbound, for the journal. The call legs report its steps;
 * `OutboundCall` has one for each `InviteClient`.
 */
import type { Clock } from '../../../base/core/clock.ts';
import { defined } from '../../../base/core/json.ts';
import type { LegSip, SipPeer } from '../../../base/core/leg.ts';
import type { GatewayName } from './carriers.ts';
import { headerOf, listOf, plainText, type SipRequest, type SipResponse } from './message.ts';
import { type Peer, peerText } from './transport.ts';

export class LegSignaling {
  readonly #clock: Clock;
  readonly #names: Pick<LegSip, 'callId'> & GatewayName;
  readonly #isOurs: boolean;
  readonly #startedMs: number;
  #remote: string | undefined;
  #userAgent: string | undefined;
  #reason: string | undefined;
  #status: number | undefined;
  #rangMs: number | undefined;
  #concludedMs: number | undefined;

  constructor(
    clock: Clock,
    callId: string,
    { isOurs, gateway }: { isOurs: boolean; gateway?: GatewayName | undefined },
  ) {
    this.#clock = clock;
    this.#names = { callId: plainText(callId), ...gateway };
    this.#isOurs = isOurs;
    this.#startedMs = clock.monotonicMs();
    // An inbound caller hears ringing from the start.
    if (!isOurs) this.#rangMs = this.#startedMs;
  }

  /** Records a message of the far end. */
  received(message: SipRequest | SipResponse, from?: Peer): void {
    if (from) this.#remote = peerText(from);
    const agent = headerOf(message, 'user-agent') ?? headerOf(message, 'server');
    if (agent !== undefined) this.#userAgent = plainText(agent);
    const reasons = listOf(message, 'reason');
    if (reasons.length > 0) this.#reason = plainText(reasons.join(', '));
  }

  ringing(): void {
    this.#rangMs ??= this.#clock.monotonicMs();
  }

  /** The INVITE ended, with this final status. */
  concluded(status: number | undefined): void {
    this.#status = status;
    this.#concludedMs ??= this.#clock.monotonicMs();
  }

  get peer(): SipPeer {
    return defined<SipPeer>({
      ...this.#names,
      remote: this.#remote,
      userAgent: this.#userAgent,
      status: this.#status,
      reason: this.#reason,
    });
  }

  /** Current state. */
  get summary(): LegSip {
    const rangMs = this.#rangMs;
    const concludedMs = this.#concludedMs;
    const progressMs = rangMs ?? concludedMs;
    return defined<LegSip>({
      ...this.peer,
      postDialMs: this.#isOurs && progressMs !== undefined ? Math.round(progressMs - this.#startedMs) : undefined,
      ringMs: rangMs === undefined ? undefined : Math.round((concludedMs ?? this.#clock.monotonicMs()) - rangMs),
    });
  }
}
