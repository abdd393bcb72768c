/**
 * Requests of ours inside a dialog: where they go (RFC 3261 §12.2.1.1), and once more with credentials when the far end
 * asks for them (§22.2).
 */
import { answerChallenge, type Credentials } from './auth.ts';
import type { SipContext } from './context.ts';
import { type Dialog, hopOf, type InDialog, requestWithin } from './dialog.ts';
import type { HeaderLine, OutgoingRequest } from './message.ts';
import type { ClientUser } from './transactions.ts';
import type { Peer } from './transport.ts';

export class DialogClient {
  readonly #context: SipContext;
  readonly #dialog: Dialog;
  readonly #credentials: Credentials | undefined;

  constructor(context: SipContext, dialog: Dialog, credentials: Credentials | undefined) {
    this.#context = context;
    this.#dialog = dialog;
    this.#credentials = credentials;
  }

  request(method: string, options: InDialog, user: ClientUser): void {
    this.#locate((peer) => {
      const request = requestWithin(this.#dialog, method, options);
      if (!peer) user.failed('transport');
      else this.#context.transactions.request(request, peer, this.#proving(request, peer, options, user));
    });
  }

  acknowledge(cseq: number, headers: readonly HeaderLine[]): void {
    this.#locate((peer) => {
      if (peer) this.#context.transactions.sendAck(requestWithin(this.#dialog, 'ACK', { cseq, headers }), peer);
    });
  }

  #proving(request: OutgoingRequest, peer: Peer, options: InDialog, user: ClientUser): ClientUser {
    return {
      failed: (why) => user.failed(why),
      response: (response) => {
        const challenged = response.status === 401 || response.status === 407;
        const proof =
          challenged &&
          this.#credentials &&
          answerChallenge(response, request, this.#credentials, this.#context.token());
        if (!proof) {
          user.response(response);
          return;
        }
        const headers = [...(options.headers ?? []), proof];
        const again = requestWithin(this.#dialog, request.method, { ...options, headers });
        this.#context.transactions.request(again, peer, user);
      },
    };
  }

  #locate(done: (peer: Peer | undefined) => void): void {
    const dialog = this.#dialog;
    if (dialog.viaPeer && dialog.routeSet.length === 0) done(dialog.peer);
    else this.#context.locator.locate(hopOf(dialog), done);
  }
}
