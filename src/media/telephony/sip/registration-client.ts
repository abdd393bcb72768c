/**
 * Registration with a carrier (RFC 3261 §10.2), for inbound calls: refreshed, retried with exponential back-off (RFC
 * 5626 §4.5), and removed at the end.
 * One REGISTER runs at a time. Each change of its status is logged, and a reminder every hour while it is not
 * registered.
 */
import type { Timer } from '../../../base/core/clock.ts';
import { hostText } from '../../../base/core/host-text.ts';
import type { DigestCredentials } from './auth.ts';
import { type Gateway, transportOf, uriText } from './carriers.ts';
import { sendRequest } from './client-request.ts';
import { ALLOW, type SipContext } from './context.ts';
import { parseNameAddress, parseSeconds } from './headers.ts';
import { type HeaderLine, headerOf, listOf, type SipResponse } from './message.ts';
import { escapeUser } from './uri.ts';

const ASKED_S = 3600;
const MAX_S = 86_400;
const SHORTEST_S = 30;
/** RFC 5626 §4.5. */
const RETRY_MS = 30_000;
const MAX_RETRY_MS = 1_800_000;
const REMINDER_MS = 3_600_000;

/** Status of the last REGISTER, or why there was none. */
export type RegistrationStatus = number | 'no answer' | 'not asked yet';

export class RegistrationClient {
  readonly #context: SipContext;
  readonly #credentials: DigestCredentials;
  readonly #registrar: string;
  readonly #record: string;
  readonly #callId: string;
  readonly #tag: string;
  #cseq = 0;
  #expiresS = ASKED_S;
  #failures = 0;
  #running = false;
  #stopped = false;
  #untilMs = 0;
  #timer: Timer | undefined;
  #status: RegistrationStatus = 'not asked yet';
  /** Time of the last change of the status, by the wall clock. */
  #sinceMs: number;
  #loggedMs = 0;

  constructor(context: SipContext, { route, uri }: Gateway, credentials: DigestCredentials) {
    this.#context = context;
    this.#credentials = credentials;
    this.#registrar = uriText(undefined, uri, route.transport ?? transportOf(uri));
    this.#record = `<sip:${escapeUser(credentials.username)}@${route.fromDomain ?? hostText(uri.host)}>`;
    this.#callId = context.token() + context.token();
    this.#tag = context.token();
    this.#sinceMs = context.clock.now();
  }

  /** Last status from the carrier, and the time since which it has not changed. */
  get state(): { status: RegistrationStatus; sinceMs: number } {
    return { status: this.#status, sinceMs: this.#sinceMs };
  }

  get isRegistered(): boolean {
    return this.#untilMs > this.#context.clock.monotonicMs();
  }

  /** User part to which calls of this registration are sent. */
  get contactUser(): string {
    return this.#credentials.username;
  }

  start(): void {
    this.#register(this.#expiresS);
  }

  /** Removes the registration, if there is one. */
  stop(): void {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#timer?.cancel();
    if (this.isRegistered && !this.#running) this.#register(0);
  }

  #register(expiresS: number): void {
    this.#running = true;
    const answered = this.#stopped ? this.#context.trackPendingBye() : () => {};
    sendRequest(this.#context, this.#registrar, {
      credentials: this.#credentials,
      nextCseq: () => ++this.#cseq,
      write: (place, cseq) => ({
        method: 'REGISTER',
        uri: this.#registrar,
        routes: [],
        from: `${this.#record};tag=${this.#tag}`,
        to: this.#record,
        callId: this.#callId,
        cseq,
        headers: [
          ['Contact', `${this.#context.contact(place, { user: this.contactUser })};expires=${expiresS}`],
          ['Expires', String(expiresS)],
          ALLOW,
          ['User-Agent', this.#context.userAgent],
        ] satisfies HeaderLine[],
      }),
      done: (response) => {
        this.#running = false;
        answered();
        if (!this.#stopped) this.#answered(response);
        else if (expiresS > 0 && response && response.status < 300) this.#register(0);
      },
    });
  }

  #answered(response: SipResponse | undefined): void {
    const { clock, log } = this.#context;
    if (response && response.status < 300) {
      if (!this.isRegistered) log('info', 'sip.registered', { registrar: this.#registrar });
      this.#become(response.status);
      this.#failures = 0;
      const lifeS = this.#grantedS(response);
      this.#untilMs = clock.monotonicMs() + lifeS * 1000;
      this.#again(lifeS * 850);
      return;
    }
    const shortest = response?.status === 423 ? parseSeconds(headerOf(response, 'min-expires')) : undefined;
    if (shortest !== undefined && shortest > this.#expiresS && shortest <= MAX_S) {
      this.#expiresS = shortest;
      this.#register(shortest);
      return;
    }
    const backoffMs = Math.min(MAX_RETRY_MS, RETRY_MS * 2 ** Math.min(this.#failures++, 10));
    this.#reportFailure(response?.status ?? 'no answer');
    this.#again(backoffMs * (0.5 + this.#context.random() / 2));
  }

  /** Logs each new reason once, and again every hour: the first reason of an outage is often not the last. */
  #reportFailure(status: RegistrationStatus): void {
    const { clock, log } = this.#context;
    const isNew = this.#become(status);
    if (!isNew && clock.monotonicMs() - this.#loggedMs < REMINDER_MS) return;
    this.#loggedMs = clock.monotonicMs();
    const since = new Date(this.#sinceMs).toISOString();
    log('warn', 'sip.not_registered', { registrar: this.#registrar, status, ...(!isNew && { since }) });
  }

  /** True if the status has changed. */
  #become(status: RegistrationStatus): boolean {
    if (status === this.#status) return false;
    this.#status = status;
    this.#sinceMs = this.#context.clock.now();
    return true;
  }

  #again(delayMs: number): void {
    this.#timer = this.#context.clock.after(delayMs, () => this.#register(this.#expiresS));
  }

  /** §10.2.4: the lifetime of the local contact, else that of all. */
  #grantedS(response: SipResponse): number {
    const ours = listOf(response, 'contact')
      .map(parseNameAddress)
      .find((contact) => contact?.uri.user === this.contactUser);
    const said = parseSeconds(ours?.params['expires']) ?? parseSeconds(headerOf(response, 'expires')) ?? this.#expiresS;
    return Math.max(SHORTEST_S, Math.min(said, MAX_S));
  }
}
