/**
 * Sends requests within a dialog: determines their target (RFC 3261 §12.2.1.1), and repeats them with credentials when
 * challenged (§22.2).
 * SRTP keys of a dialog that was established over TLS are only sent over TLS, whatever its Contact.
 */
import { hasKeys } from '../../toolbox/sdp/crypto.ts';
import type { DigestCredentials } from './auth.ts';
import type { SipContext } from './context.ts';
import { type Dialog, hopOf, type InDialog, requestWithin } from './dialog.ts';
import type { HeaderLine } from './message.ts';
import { Proofs } from './proofs.ts';
import { RequestFailover, type RequestFailoverUser } from './request-failover.ts';
import type { ClientUser } from './transactions.ts';
import type { Peer } from './transport.ts';

export class DialogClient {
  readonly #context: SipContext;
  readonly dialog: Dialog;
  readonly #credentials: DigestCredentials | undefined;

  constructor(context: SipContext, dialog: Dialog, credentials: DigestCredentials | undefined) {
    this.#context = context;
    this.dialog = dialog;
    this.#credentials = credentials;
  }

  request(method: string, options: InDialog, user: ClientUser): void {
    const peer = this.#knownPeer();
    if (!peer) {
      this.#requestByTarget(method, options, user);
      return;
    }
    const byPeer: ClientUser = {
      response: (response) => user.response(response),
      failed: (why) => {
        // The connection is closed; the Contact may still be valid.
        if (why === 'transport') this.#requestByTarget(method, options, user);
        else user.failed(why);
      },
    };
    this.#send([peer], method, options, byPeer, true);
  }

  /** Sends the ACK to a 2xx (§13.2.2.4), again for each retransmission of the 2xx. */
  acknowledge(cseq: number, headers: readonly HeaderLine[] = []): void {
    const ack = requestWithin(this.dialog, 'ACK', { cseq, headers });
    const send = ([peer, ...others]: readonly Peer[]) => {
      if (peer) this.#context.transactions.sendAck(ack, peer, () => send(others));
    };
    const peer = this.#knownPeer();
    if (peer) send([peer]);
    else this.#context.locator.locate(hopOf(this.dialog), send);
  }

  #requestByTarget(method: string, options: InDialog, user: ClientUser): void {
    this.#context.locator.locate(hopOf(this.dialog), (places) =>
      this.#send(this.#mayBeSent(options, places), method, options, user, false),
    );
  }

  /**
   * Many Contacts name no transport, which means UDP (RFC 3263 §4.1); the peer that established the dialog supports
   * TLS.
   */
  #mayBeSent({ body }: InDialog, places: readonly Peer[]): readonly Peer[] {
    const { peer } = this.dialog;
    if (peer.transport !== 'tls' || !body || !hasKeys(body.content)) return places;
    return [...places.filter(({ transport }) => transport === 'tls'), peer];
  }

  #send(places: readonly Peer[], method: string, options: InDialog, user: ClientUser, transportIsFixed: boolean): void {
    const request = requestWithin(this.dialog, method, options);
    const proving = this.#proving(options, user);
    new RequestFailover(this.#context, { places, write: () => request, user: proving, transportIsFixed }).start();
  }

  #proving(options: InDialog, user: ClientUser): RequestFailoverUser {
    const proofs = new Proofs(this.#credentials, this.#context);
    const proving: RequestFailoverUser = {
      failed: (why) => user.failed(why),
      late: (response) => user.response(response),
      response: (response, { request, peer }) => {
        if (!proofs.answer(response)) {
          user.response(response);
          return;
        }
        const again = requestWithin(this.dialog, request.method, options);
        const signed = { ...again, headers: [...again.headers, ...proofs.sign(again)] };
        const attempt = this.#context.transactions.request(signed, peer, {
          failed: (why) => user.failed(why),
          response: (next) => proving.response(next, attempt),
        });
      },
    };
    return proving;
  }

  /** Returns the source of the far end's messages, if the far end is reached there. */
  #knownPeer(): Peer | undefined {
    const { viaPeer, routeSet, peer } = this.dialog;
    return viaPeer && routeSet.length === 0 ? peer : undefined;
  }
}
