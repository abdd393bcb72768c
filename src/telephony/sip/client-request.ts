/** A request outside dialogs (REGISTER, OPTIONS), with credentials when it is challenged (RFC 3261 §22.2). */
import { answerChallenge, type DigestCredentials } from './auth.ts';
import type { SipContext } from './context.ts';
import type { OutgoingRequest, SipResponse } from './message.ts';
import { RequestFailover } from './request-failover.ts';
import type { Peer } from './transport.ts';

export interface ClientRequest {
  /** Written for each target, with the CSeq of the attempt. */
  write: (place: Peer, cseq: number) => OutgoingRequest;
  nextCseq: () => number;
  credentials: DigestCredentials | undefined;
  /** The final response, or undefined when there is none; `place` is the peer that sent it. */
  done: (response: SipResponse | undefined, place: Peer | undefined) => void;
}

/** Credentials are sent once, and again when the nonce was stale. */
const MOST_PROOFS = 2;

export function sendRequest(context: SipContext, uri: string, request: ClientRequest): void {
  let proofs = 0;
  const send = (places: readonly Peer[], extra: OutgoingRequest['headers']): void => {
    const cseq = request.nextCseq();
    const write = (place: Peer): OutgoingRequest => {
      const written = request.write(place, cseq);
      return { ...written, headers: [...written.headers, ...extra] };
    };
    const delivery = new RequestFailover(
      context,
      places,
      write,
      {
        failed: () => request.done(undefined, undefined),
        response(response, attempt) {
          if (response.status < 200) return;
          const challenged = response.status === 401 || response.status === 407;
          const { credentials } = request;
          if (challenged && credentials && proofs++ < MOST_PROOFS && (proofs === 1 || isStale(response))) {
            const { method, uri: target } = attempt.request;
            const proof = answerChallenge(response, { method, uri: target }, credentials, context.token());
            if (proof) return send([attempt.peer], [proof]);
          }
          request.done(response, attempt.peer);
        },
      },
      { transportIsFixed: false },
    );
    delivery.start();
  };
  context.locator.locate(uri, (places) => {
    if (places.length > 0) send(places, []);
    else request.done(undefined, undefined);
  });
}

const isStale = ({ headers }: SipResponse): boolean =>
  [...(headers['www-authenticate'] ?? []), ...(headers['proxy-authenticate'] ?? [])].some((line) =>
    /[ ,]stale\s*=\s*"?true/i.test(line),
  );
