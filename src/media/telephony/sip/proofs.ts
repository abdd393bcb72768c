/**
 * Credentials of one outgoing request (RFC 3261 §22.2, §22.3): the only place that responds to challenges, for INVITE,
 * for requests within a dialog and outside of it. Digest with MD5, SHA-256, their `-sess` variants, `auth` and
 * `auth-int` (RFC 7616). `auth.ts` has the digest itself, and challenges others.
 *
 * Invariants
 *  - each realm is answered once, and again if its nonce was stale; at most three challenges are answered;
 *  - a nonce count is never sent twice with the same nonce.
 */
import {
  type DigestAlgorithm,
  type DigestCredentials,
  digestAlgorithmOf,
  digestResponse,
  quoted,
  readDigest,
} from './auth.ts';
import type { HeaderLine, OutgoingRequest, SipResponse } from './message.ts';
import type { Params } from './scan.ts';
import type { SipLog } from './transport-layer.ts';

const MAX_ANSWERS = 3;

interface Challenge {
  isProxy: boolean;
  algorithm: DigestAlgorithm;
  /** Quality of protection; undefined: as in RFC 2069. */
  qop: 'auth' | 'auth-int' | undefined;
  params: Params;
}

type SignedRequest = Pick<OutgoingRequest, 'method' | 'uri'> & Partial<Pick<OutgoingRequest, 'body'>>;

export class Proofs {
  readonly #credentials: DigestCredentials | undefined;
  readonly #cnonce: () => string;
  readonly #log: SipLog;
  /** By kind and realm, with the last nonce count. */
  readonly #answered = new Map<string, { challenge: Challenge; cnonce: string; count: number }>();
  #answers = 0;
  #signedCseq: number | undefined;
  /** Header lines of the last signature. */
  lines: readonly HeaderLine[] = [];

  constructor(credentials: DigestCredentials | undefined, { token, log }: { token(): string; log: SipLog }) {
    this.#credentials = credentials;
    this.#cnonce = token;
    this.#log = log;
  }

  /** True if the far end rejects credentials that were sent. */
  refusedBy({ status }: SipResponse): boolean {
    return this.#answered.size > 0 && isChallenge(status);
  }

  /** Accepts the challenge of a response; true if the request has to be sent again with credentials. */
  answer(response: SipResponse): boolean {
    if (!isChallenge(response.status) || !this.#credentials) return false;
    const challenge = strongestOf(response);
    if (!challenge) {
      this.#log('warn', 'sip.challenge_unsupported', { challenge: wordsOf(response) });
      return false;
    }
    const { params, isProxy } = challenge;
    const key = `${isProxy} ${params['realm'] ?? ''}`;
    const isStale = params['stale']?.toLowerCase() === 'true';
    if ((this.#answered.has(key) && !isStale) || this.#answers >= MAX_ANSWERS) return false;
    this.#answers += 1;
    this.#answered.set(key, { challenge, cnonce: this.#cnonce(), count: 0 });
    return true;
  }

  /**
   * Returns the credentials of a request that is about to be sent, for all realms that sent a challenge. The same
   * request may be signed twice.
   */
  sign(request: SignedRequest & Pick<OutgoingRequest, 'cseq'>): readonly HeaderLine[] {
    const isNew = request.cseq !== this.#signedCseq;
    this.#signedCseq = request.cseq;
    this.lines = [...this.#answered.values()].map((answered) => {
      if (isNew) answered.count += 1;
      return proofLine(answered.challenge, request, this.#credentials!, answered.cnonce, answered.count);
    });
    return this.lines;
  }

  /** The next request is another one, whose challenges are answered from the start. */
  reset(): void {
    this.#answered.clear();
    this.#answers = 0;
    this.lines = [];
  }
}

const isChallenge = (status: number): boolean => status === 401 || status === 407;

/** Returns the response to a 401 or 407; undefined if it has no supported challenge. */
export function answerChallenge(
  response: SipResponse,
  request: SignedRequest,
  credentials: DigestCredentials,
  cnonce: string,
): HeaderLine | undefined {
  const challenge = strongestOf(response);
  return challenge && proofLine(challenge, request, credentials, cnonce, 1);
}

const linesOf = ({ status, headers }: SipResponse): readonly string[] =>
  headers[status === 407 ? 'proxy-authenticate' : 'www-authenticate'] ?? [];

/** RFC 8760 §2.4: the strongest algorithm is used. */
function strongestOf(response: SipResponse): Challenge | undefined {
  const challenges = linesOf(response).flatMap((line): Challenge[] => {
    const params = readDigest(line);
    const algorithm = params && digestAlgorithmOf(params['algorithm']);
    if (!params || !algorithm) return [];
    const offered = (params['qop'] ?? '').split(',').map((word) => word.trim().toLowerCase());
    const qop = (['auth', 'auth-int'] as const).find((word) => offered.includes(word));
    if (qop === undefined && offered.some((word) => word !== '')) return [];
    return [{ isProxy: response.status === 407, algorithm, qop, params }];
  });
  return challenges.find(({ algorithm }) => algorithm.startsWith('SHA-256')) ?? challenges[0];
}

/** For the log: realm, algorithm and quality of protection, without the nonce. */
const wordsOf = (response: SipResponse): string[] =>
  linesOf(response).map((line) => {
    const { realm = '', algorithm = 'MD5', qop = '' } = readDigest(line) ?? { algorithm: line.split(/\s/, 1)[0]! };
    return `realm=${realm} algorithm=${algorithm} qop=${qop}`.slice(0, 200);
  });

function proofLine(
  { isProxy, algorithm, qop, params }: Challenge,
  { method, uri, body }: SignedRequest,
  credentials: DigestCredentials,
  cnonce: string,
  count: number,
): HeaderLine {
  const { realm = '', nonce = '', opaque } = params;
  const nc = count.toString(16).padStart(8, '0');
  const response = digestResponse({
    ...{ ...credentials, algorithm, realm, nonce, method, uri, cnonce },
    ...(qop && { qop: { nc, cnonce, ...(qop === 'auth-int' && { body: body?.content ?? '' }) } }),
  });
  let value = `Digest username=${quoted(credentials.username)}, realm=${quoted(realm)}, nonce=${quoted(nonce)}`;
  value += `, uri=${quoted(uri)}, response="${response}", algorithm=${algorithm}`;
  if (qop) value += `, qop=${qop}, nc=${nc}, cnonce=${quoted(cnonce)}`;
  else if (algorithm.endsWith('-sess')) value += `, cnonce=${quoted(cnonce)}`;
  if (opaque !== undefined) value += `, opaque=${quoted(opaque)}`;
  return [isProxy ? 'Proxy-Authorization' : 'Authorization', value];
}
