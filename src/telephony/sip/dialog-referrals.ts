/**
 * REFER within a dialog, both ways (RFC 3515, RFC 4488): each asks the other to call somebody, and is told by NOTIFY how
 * that went. Who may be named is the user's to say.
 * Invariants: each referral of ours is ended once, by `refer_ended`; the far end's NOTIFYs go out one after the other.
 */
import type { Timer } from '../../core/clock.ts';
import type { LegEvent } from '../../core/leg.ts';
import type { SipContext } from './context.ts';
import type { InDialog } from './dialog.ts';
import { parseNameAddress } from './headers.ts';
import { type HeaderLine, headerOf, listOf, mediaType, REASONS } from './message.ts';
import { parseParams } from './scan.ts';
import type { ServerTransaction } from './server-transaction.ts';
import type { ClientUser } from './transactions.ts';
import type { Uri } from './uri.ts';

/** Whom the far end may name, in the words of the host; else the status that refuses it. */
export type ReferTarget = { to: string; replacesLegId?: string } | { status: number };

export interface ReferralUser {
  request(method: string, options: InDialog, user: ClientUser): void;
  event(event: LegEvent): void;
  targetOf(referTo: Uri): ReferTarget;
}

/** How long a referral may take: as long as a proxy lets a phone ring (RFC 3261 §16.6, timer C). */
const REFER_LIFETIME_MS = 180_000;
/** Of the far end, at a time. */
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
  /** RFC 4488: the far end does not want to know. */
  silent: boolean;
  /** Statuses to tell, the first one on its way. */
  queue: number[];
}

export class DialogReferrals {
  readonly #context: SipContext;
  readonly #user: ReferralUser;
  #ours: OutgoingRefer | undefined;
  readonly #theirs = new Map<string, IncomingRefer>();
  /** Those of the far end that it has not acknowledged everything about. */
  readonly #untold = new Set<IncomingRefer>();
  #stopped = false;

  constructor(context: SipContext, user: ReferralUser) {
    this.#context = context;
    this.#user = user;
  }

  // ---- Ours ----

  refer(referId: string, referTo: string, referredBy: string): void {
    if (this.#stopped || this.#ours) {
      this.#user.event({ type: 'refer_ended', referId, sipStatus: 491 });
      return;
    }
    const limit = this.#context.clock.after(REFER_LIFETIME_MS, () => this.#end(ours, 408));
    const ours: OutgoingRefer = { referId, cseq: undefined, limit };
    this.#ours = ours;
    const headers: HeaderLine[] = [
      ['Refer-To', `<${referTo}>`],
      ['Referred-By', `<${referredBy}>`],
    ];
    this.#user.request(
      'REFER',
      { headers },
      {
        response: (response) => {
          if (response.status >= 300) this.#end(ours, response.status);
          else if (response.status >= 200) ours.cseq = response.cseq.number;
        },
        failed: () => this.#end(ours, 408),
      },
    );
  }

  #end(ours: OutgoingRefer, sipStatus: number): void {
    if (this.#ours !== ours) return;
    this.#ours = undefined;
    ours.limit.cancel();
    this.#user.event({ type: 'refer_ended', referId: ours.referId, sipStatus });
  }

  receiveNotify(transaction: ServerTransaction): void {
    const { request } = transaction;
    const [event = '', ...rest] = (headerOf(request, 'event') ?? '').split(';');
    if (event.trim().toLowerCase() !== 'refer') {
      transaction.respond(489, { headers: [['Allow-Events', 'refer']] });
      return;
    }
    const id = parseParams(`;${rest.join(';')}`, 0)?.['id'];
    const ours = this.#ours;
    if (!ours || (id !== undefined && ours.cseq !== undefined && Number(id) !== ours.cseq)) {
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
    if (status >= 200) this.#end(ours, status);
    else if (isOver) this.#end(ours, 408);
  }

  // ---- Theirs ----

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
    if (this.#theirs.size >= MAX_INCOMING) {
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
    this.#theirs.set(referId, {
      id: request.cseq.number,
      untilMs: this.#context.clock.monotonicMs() + REFER_LIFETIME_MS,
      limit: this.#context.clock.after(REFER_LIFETIME_MS, () => this.progress(referId, 408)),
      silent,
      queue: [],
    });
    this.progress(referId, 100);
    const by = parseNameAddress(headerOf(request, 'referred-by') ?? '')?.uri;
    const referredBy = by && (by.user ?? by.host);
    this.#user.event({
      type: 'referred',
      referId,
      ...target,
      ...(referredBy === undefined ? {} : { referredBy: referredBy.replace(/[\x00-\x1f\x7f]/g, '').slice(0, 128) }),
    });
  }

  /** What the host tells of a referral of theirs; whether it is one of this dialog. */
  progress(referId: string, sipStatus: number): boolean {
    const theirs = this.#theirs.get(referId);
    if (!theirs || !(sipStatus >= 100 && sipStatus <= 699)) return theirs !== undefined;
    if (sipStatus >= 200) {
      this.#theirs.delete(referId);
      theirs.limit.cancel();
    }
    if (theirs.silent) return true;
    this.#untold.add(theirs);
    if (theirs.queue.push(sipStatus) === 1) this.#notify(theirs);
    return true;
  }

  /** We are about to end the dialog: what has an end is told now, whatever was not answered yet. */
  flushFinalNotifies(): void {
    for (const theirs of this.#untold) {
      const last = theirs.queue.at(-1);
      if (theirs.queue.length > 1 && last !== undefined && last >= 200) this.#send(theirs, last, () => {});
    }
    this.#untold.clear();
  }

  #notify(theirs: IncomingRefer): void {
    const [sipStatus] = theirs.queue;
    if (sipStatus === undefined || this.#stopped) return;
    this.#send(theirs, sipStatus, () => {
      theirs.queue.shift();
      if (theirs.queue.length === 0) this.#untold.delete(theirs);
      this.#notify(theirs);
    });
  }

  #send(theirs: IncomingRefer, sipStatus: number, told: () => void): void {
    const leftS = Math.max(0, Math.ceil((theirs.untilMs - this.#context.clock.monotonicMs()) / 1000));
    const headers: HeaderLine[] = [
      ['Event', `refer;id=${theirs.id}`],
      ['Subscription-State', sipStatus >= 200 ? 'terminated;reason=noresource' : `active;expires=${leftS}`],
    ];
    const content = `SIP/2.0 ${sipStatus} ${REASONS[sipStatus] ?? 'Unknown'}\r\n`;
    this.#user.request(
      'NOTIFY',
      { headers, body: { type: `${SIPFRAG};version=2.0`, content } },
      {
        response: (response) => {
          if (response.status >= 200) told();
        },
        failed: told,
      },
    );
  }

  /** The dialog ends: nobody will tell any more. */
  stop(): void {
    this.#stopped = true;
    for (const { limit } of this.#theirs.values()) limit.cancel();
    this.#theirs.clear();
    if (this.#ours) this.#end(this.#ours, 408);
  }
}
