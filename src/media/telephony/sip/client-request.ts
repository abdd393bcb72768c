/** Sends a request outside dialogs (REGISTER, OPTIONS), with credentials if it is challenged (RFC 3261 §22.2). */
import type { DigestCredentials } from './auth.ts';
import type { SipContext } from './context.ts';
import type { OutgoingRequest, SipResponse } from './message.ts';
import { Proofs } from './proofs.ts';
import { RequestFailover, type RequestFailoverUser } from './request-failover.ts';
import type { Peer } from './transport.ts';

export interface ClientRequest {
  /** Called for each target, with the CSeq of the attempt. */
  write: (place: Peer, cseq: number) => OutgoingRequest;
  nextCseq: () => number;
  credentials: DigestCredentials | undefined;
  /** Receives the final response, or undefined if there is none; `place` is the peer that sent it. */
  done: (response: SipResponse | undefined, place: Peer | undefined) => void;
}

export function sendRequest(context: SipContext, uri: string, request: ClientRequest): void {
  const proofs = new Proofs(request.credentials, context);
  const send = (places: readonly Peer[]): void => {
    const cseq = request.nextCseq();
    const write = (place: Peer): OutgoingRequest => {
      const written = request.write(place, cseq);
      return { ...written, headers: [...written.headers, ...proofs.sign(written)] };
    };
    const user: RequestFailoverUser = {
      failed: () => request.done(undefined, undefined),
      response(response, attempt) {
        if (response.status < 200) return;
        if (proofs.answer(response)) send([attempt.peer]);
        else request.done(response, attempt.peer);
      },
    };
    new RequestFailover(context, { places, write, user, transportIsFixed: false }).start();
  };
  context.locator.locate(uri, (places) => {
    if (places.length > 0) send(places);
    else request.done(undefined, undefined);
  });
}
