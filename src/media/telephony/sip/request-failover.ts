/**
 * Sends one request to the first of several targets that responds (RFC 3263 §4.3): the next one is tried if a target is
 * unreachable, responds with 503, or stays silent. A request that is too long for a datagram is sent by TCP if the
 * target supports it, else by UDP anyway (RFC 3261 §18.1.1). Calls and dialogs use it; it uses one transaction per
 * attempt.
 * The user receives the responses of one target at a time, and `failed` at most once. From a target that was given up,
 * only a 2xx is passed on, as `late`, because it has to be acknowledged.
 */
import type { Timer } from '../../../base/core/clock.ts';
import type { SipContext } from './context.ts';
import type { HeaderLine, OutgoingRequest, SipResponse } from './message.ts';
import type { ClientTransaction, ClientUser } from './transactions.ts';
import { type Peer, peerText } from './transport.ts';

export interface RequestFailoverUser {
  response(response: SipResponse, attempt: ClientTransaction): void;
  late?(response: SipResponse, attempt: ClientTransaction): void;
  /** Earlier responses do not count, because another target is tried. */
  failedOver?(): void;
  failed(why: 'timeout' | 'transport'): void;
}

/**
 * Time without a response after which the next target is tried: four attempts over UDP. Shorter than Timer B of
 * §17.1.1.2.
 */
const SILENT_TARGET_MS = 4_000;

/** §18.1.1: longer requests may be fragmented, and many routers drop fragments. */
const MAX_DATAGRAM_BYTES = 1300;

interface FailoverAttempt {
  place: Peer;
  transaction: ClientTransaction | undefined;
}

export interface RequestFailoverOptions {
  /** Targets, in the order in which they are tried. */
  places: readonly Peer[];
  /** Returns the same request for each target, except for the local address. */
  write: (place: Peer) => OutgoingRequest;
  user: RequestFailoverUser;
  /** True if the target is only reachable through its NAT, or on its own connection. */
  transportIsFixed: boolean;
}

export class RequestFailover {
  readonly #context: SipContext;
  #left: Peer[];
  readonly #write: (place: Peer) => OutgoingRequest;
  readonly #user: RequestFailoverUser;
  readonly #transportIsFixed: boolean;
  readonly #streamsTried = new Set<string>();
  #current: FailoverAttempt | undefined;
  #silenceTimer: Timer | undefined;
  #cancelled = false;

  constructor(context: SipContext, { places, write, user, transportIsFixed }: RequestFailoverOptions) {
    this.#transportIsFixed = transportIsFixed;
    this.#context = context;
    this.#left = [...places];
    this.#write = write;
    this.#user = user;
  }

  start(): void {
    const place = this.#left.shift();
    if (!place) {
      this.#user.failed('transport');
      return;
    }
    const stream = this.#streamFor(place);
    if (stream) {
      this.#streamsTried.add(peerText(stream));
      this.#left = [place, ...this.#left.filter((other) => peerText(other) !== peerText(stream))];
    }
    this.#try(stream ?? place);
  }

  /** Returns a target for TCP if the request is too long for UDP: one known to support it, else the same one. */
  #streamFor(place: Peer): Peer | undefined {
    const { locator, transactions } = this.#context;
    if (place.transport !== 'udp' || this.#transportIsFixed || !locator.has('tcp')) return undefined;
    if (transactions.sizeOf(this.#write(place), place) <= MAX_DATAGRAM_BYTES) return undefined;
    const streams = [
      ...this.#left.filter(({ transport }) => transport === 'tcp'),
      { ...place, transport: 'tcp' as const },
    ];
    return streams.find((stream) => !this.#streamsTried.has(peerText(stream)) && !locator.isAvoided(stream));
  }

  #try(place: Peer): void {
    const attempt: FailoverAttempt = { place, transaction: undefined };
    this.#current = attempt;
    if (this.#left.length > 0) this.#silenceTimer = this.#context.clock.after(SILENT_TARGET_MS, () => this.#move());
    attempt.transaction = this.#context.transactions.request(this.#write(place), place, this.#listener(attempt));
  }

  /** Cancels an INVITE (§9.1), whatever its target. */
  cancel(headers: readonly HeaderLine[] = []): void {
    this.#cancelled = true;
    this.#silenceTimer?.cancel();
    this.#current?.transaction?.cancel(headers);
  }

  #listener(attempt: FailoverAttempt): ClientUser {
    return {
      response: (response) => {
        const { transaction } = attempt;
        if (!transaction) return;
        if (attempt !== this.#current) {
          if (response.status >= 200 && response.status < 300) this.#user.late?.(response, transaction);
          return;
        }
        this.#silenceTimer?.cancel();
        // The response holds for all its transports.
        if (response.status === 503) this.#left = this.#left.filter((other) => !isSameHost(other, attempt.place));
        if (response.status === 503 && this.#mayMove()) this.#move();
        else this.#user.response(response, transaction);
      },
      failed: (why) => {
        if (attempt !== this.#current) return;
        this.#silenceTimer?.cancel();
        if (this.#mayMove()) this.#move();
        else this.#user.failed(why);
      },
    };
  }

  #mayMove(): boolean {
    return this.#left.length > 0 && !this.#cancelled;
  }

  #move(): void {
    const given = this.#current;
    if (given) this.#context.locator.avoid(given.place);
    given?.transaction?.abandon();
    this.#user.failedOver?.();
    this.start();
  }
}

const isSameHost = (one: Peer, other: Peer): boolean => one.host === other.host && one.port === other.port;
