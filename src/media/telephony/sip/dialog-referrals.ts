/**
 * REFER within a dialog, in both directions (RFC 3515, RFC 4488): one side asks the other to call a target, and NOTIFY
 * reports the result. The user of this class decides which targets are allowed.
 * Each outgoing referral ends once, by `refer_ended`; NOTIFYs to the far end are sent one at a time.
 */
import type { Timer } from '../../../base/core/clock.ts';
import type { LegEvent } from '../../../base/core/leg.ts';
import type { SipContext } from './context.ts';
import type { DialogClient } from './dialog-client.ts';
import { parseNameAddress } from './headers.ts';
import { type HeaderLine, headerOf, listOf, mediaType, plainText, REASONS } from './message.ts';
import type { ReferTarget } from './refer-policy.ts';
import { splitParams } from './scan.ts';
import type { ServerTransaction } from './server-transaction.ts';
import type { Uri } from './uri.ts';

export interface ReferralUser {
  event(event: LegEvent): void;
  targetOf(referTo: Uri): ReferTarget;
}

/** Maximum duration of a referral: as long as a proxy lets a phone ring (RFC 3261 §16.6, timer C). */
const REFER_LIFETIME_MS = 180_000;
/** Concurrent referrals of the far end. */
const MAX_INCOMING = 4;
const SIPFRAG = 'message/sipfrag';

interface OutgoingRefer {
  referId: string;
  /** Known with the response: the `id` of its NOTIFYs. */
  cseq: number | undefined;
  limit: Timer;
}

interface IncomingRefer {
  /** CSeq of the REFER: the `id` of its NOTIFYs. */
  id: number;
  untilMs: number;
  limit: Timer;
  /** RFC 4488: the far end requested no NOTIFYs. */
  silent: boolean;
  /** Statuses to send; the first one is being sent. */
  queue: number[];
}

export class DialogReferrals {
  readonly #context: SipContext;
  readonly #client: DialogClient;
  readonly #user: ReferralUser;
  #outgoing: OutgoingRefer | undefined;
  readonly #incoming = new Map<string, IncomingRefer>();
  /** Referrals of the far end with NOTIFYs that are not acknowledged yet. */
  readonly #unacknowledged = new Set<IncomingRefer>();
  #stopped = false;

  constructor(context: SipContext, client: DialogClient, user: ReferralUser) {
    this.#context = context;
    this.#client = client;
    this.#user = user;
  }

  // ---- Outgoing ----

  /** Asks the far end to call the target. */
  refer(referId: string, referTo: string, more: readonly HeaderLine[] = []): void {
    if (this.#stopped || this.#outgoing) {
      this.#user.event({ type: 'refer_ended', referId, sipStatus: 491 });
      return;
    }
    const limit = this.#context.clock.after(REFER_LIFETIME_MS, () => this.#end(outgoing, 408));
    const outgoing: OutgoingRefer = { referId, cseq: undefined, limit };
    this.#outgoing = outgoing;
    const { localParty } = this.#client.dialog;
    const referredBy = parseNameAddress(localParty)?.uri.text ?? localParty;
    const headers: HeaderLine[] = [['Refer-To', `<${referTo}>`], ['Referred-By', `<${referredBy}>`], ...more];
    this.#client.request(
      'REFER',
      { headers },
      {
        response: (response) => {
          if (response.status >= 300) this.#end(outgoing, response.status);
          else if (response.status >= 200) outgoing.cseq = response.cseq.number;
        },
        failed: () => this.#end(outgoing, 408),
      },
    );
  }

  #end(outgoing: OutgoingRefer, sipStatus: number): void {
    if (this.#outgoing !== outgoing) return;
    this.#outgoing = undefined;
    outgoing.limit.cancel();
    this.#user.event({ type: 'refer_ended', referId: outgoing.referId, sipStatus });
  }

  receiveNotify(transaction: ServerTransaction): void {
    const { request } = transaction;
    const { value: event, params } = splitParams(headerOf(request, 'event') ?? '');
    if (event.trim().toLowerCase() !== 'refer') {
      transaction.respond(489, { headers: [['Allow-Events', 'refer']] });
      return;
    }
    const id = params?.['id'];
    const outgoing = this.#outgoing;
    if (!outgoing || (id !== undefined && outgoing.cseq !== undefined && Number(id) !== outgoing.cseq)) {
      transaction.respond(481);
      return;
    }
    const type = mediaType(headerOf(request, 'content-type'));
    if (request.body.length > 0 && type !== SIPFRAG) {
      transaction.respond(415, { headers: [['Accept', SIPFRAG]] });
      return;
    }
    transaction.respond(200);
    const status = Number(/^SIP\/2\.0 ([1-6]\d\d)/.exec(request.body.toString('latin1', 0, 200))?.[1] ?? 0);
    const isOver = /^terminated/i.test(headerOf(request, 'subscription-state') ?? '');
    if (status >= 200) this.#end(outgoing, status);
    else if (isOver) this.#end(outgoing, 408);
  }

  // ---- Incoming ----

  receiveRefer(transaction: ServerTransaction): void {
    const { request } = transaction;
    const values = listOf(request, 'refer-to');
    const uri = values.length === 1 ? parseNameAddress(values[0]!)?.uri : undefined;
    if (!uri) {
      transaction.respond(400, { reason: 'Refer-To is missing or malformed' });
      return;
    }
    if ((uri.params['method'] ?? 'INVITE').toUpperCase() !== 'INVITE') {
      transaction.respond(603);
      return;
    }
    if (this.#incoming.size >= MAX_INCOMING) {
      transaction.respond(491);
      return;
    }
    const target = this.#user.targetOf(uri);
    if ('status' in target) {
      transaction.respond(target.status);
      return;
    }
    const silent = headerOf(request, 'refer-sub')?.trim().toLowerCase() === 'false';
    transaction.respond(202, silent ? { headers: [['Refer-Sub', 'false']] } : {});
    const referId = this.#context.ids.next('refer');
    this.#incoming.set(referId, {
      id: request.cseq.number,
      untilMs: this.#context.clock.monotonicMs() + REFER_LIFETIME_MS,
      limit: this.#context.clock.after(REFER_LIFETIME_MS, () => this.progress(referId, 408)),
      silent,
      queue: [],
    });
    this.progress(referId, 100);
    const by = parseNameAddress(headerOf(request, 'referred-by') ?? '')?.uri;
    const referredBy = by && (by.user ?? by.host);
    const headers = this.#context.readHeaders(request, false);
    this.#user.event({
      type: 'referred',
      referId,
      ...target,
      ...(referredBy === undefined ? {} : { referredBy: plainText(referredBy) }),
      ...(headers && { headers }),
    });
  }

  /** Sends the progress of a far end's referral, as reported by the host. */
  progress(referId: string, sipStatus: number): void {
    const incoming = this.#incoming.get(referId);
    if (!incoming || !(sipStatus >= 100 && sipStatus <= 699)) return;
    if (sipStatus >= 200) {
      this.#incoming.delete(referId);
      incoming.limit.cancel();
    }
    if (incoming.silent) return;
    this.#unacknowledged.add(incoming);
    if (incoming.queue.push(sipStatus) === 1) this.#notify(incoming);
  }

  /** Sends final statuses now, whatever is unacknowledged, because the dialog is about to be ended. */
  flushFinalNotifies(): void {
    for (const incoming of this.#unacknowledged) {
      const last = incoming.queue.at(-1);
      if (incoming.queue.length > 1 && last !== undefined && last >= 200) this.#send(incoming, last, () => {});
    }
    this.#unacknowledged.clear();
  }

  #notify(incoming: IncomingRefer): void {
    const [sipStatus] = incoming.queue;
    if (sipStatus === undefined || this.#stopped) return;
    this.#send(incoming, sipStatus, () => {
      incoming.queue.shift();
      if (incoming.queue.length === 0) this.#unacknowledged.delete(incoming);
      this.#notify(incoming);
    });
  }

  #send(incoming: IncomingRefer, sipStatus: number, acknowledged: () => void): void {
    const leftS = Math.max(0, Math.ceil((incoming.untilMs - this.#context.clock.monotonicMs()) / 1000));
    const headers: HeaderLine[] = [
      ['Event', `refer;id=${incoming.id}`],
      ['Subscription-State', sipStatus >= 200 ? 'terminated;reason=noresource' : `active;expires=${leftS}`],
    ];
    const content = `SIP/2.0 ${sipStatus} ${REASONS[sipStatus] ?? 'Unknown'}\r\n`;
    this.#client.request(
      'NOTIFY',
      { headers, body: { type: `${SIPFRAG};version=2.0`, content } },
      {
        response: (response) => {
          if (response.status >= 200) acknowledged();
        },
        failed: acknowledged,
      },
    );
  }

  /** The dialog ends, and no more results follow. */
  stop(): void {
    this.#stopped = true;
    for (const { limit } of this.#incoming.values()) limit.cancel();
    this.#incoming.clear();
    if (this.#outgoing) this.#end(this.#outgoing, 408);
  }
}
