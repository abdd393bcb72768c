/** Connection errors of Redis that persist until the configuration or the server changes, with a hint for each. */
import { AccessError } from './access.ts';

/** Hints by error code. */
const CERTIFICATE_HINTS: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'the certificate of Redis has expired: renew it',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate of Redis is for another host: use that name in cluster.redis.url',
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED:
    'Redis asks for a certificate: name it in cluster.redis.tls.cert, and its key in cluster.redis.tls.key',
  ERR_SSL_TLSV1_ALERT_UNKNOWN_CA: 'Redis does not know the authority of cluster.redis.tls.cert',
  ERR_SSL_WRONG_VERSION_NUMBER: 'this port of Redis speaks no TLS: write redis://, or its TLS port',
};

const UNKNOWN_AUTHORITY = new Set([
  ...['SELF_SIGNED_CERT_IN_CHAIN', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
  ...['UNABLE_TO_GET_ISSUER_CERT', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'],
]);

const REFUSED = /^(WRONGPASS|NOAUTH|NOPERM|ERR .*AUTH)/;

/** True if waiting would not help. */
export const isLasting = (error: Error): boolean =>
  REFUSED.test(error.message) || UNKNOWN_AUTHORITY.has(codeOf(error)) || codeOf(error) in CERTIFICATE_HINTS;

/** `error`: rejection of `openRedis` or `lookAtRedis`. */
export function redisHint(error: unknown): string {
  for (let cause = error as Error | undefined; cause !== undefined; cause = cause.cause as Error | undefined) {
    const code = codeOf(cause);
    if (UNKNOWN_AUTHORITY.has(code)) {
      return 'the authority of its certificate is not known here: name its file in cluster.redis.tls.ca';
    }
    if (code in CERTIFICATE_HINTS) return CERTIFICATE_HINTS[code]!;
    if (cause instanceof AccessError || cause.message.startsWith('NOPERM')) {
      return 'give the user the rights of the line `user callweave` in docs/cluster.md';
    }
    if (REFUSED.test(cause.message)) return 'set cluster.redis.username and cluster.redis.password to those of Redis';
  }
  return 'is it running, and reached from here?';
}

const codeOf = (error: Error): string => String((error as NodeJS.ErrnoException).code ?? '');
