/**
 * SIP over TLS (RFC 3261 §26.2, RFC 5922): our certificate for who connects to us; where we connect, the certificate has to
 * be that of the domain that was asked for.
 */
import { constants } from 'node:crypto';
import { isIP } from 'node:net';
import { checkServerIdentity, connect, createServer, type PeerCertificate } from 'node:tls';
import type { Clock } from '../../core/clock.ts';
import type { Transport } from './transport.ts';
import { type StreamLimits, streamTransport } from './transport-stream.ts';

export interface TlsOptions {
  /** PEM: ours, with those that vouch for it. */
  cert: string | Buffer;
  key: string | Buffer;
  /** PEM: who may vouch for others; absent: those that the system trusts. */
  ca?: string | Buffer | undefined;
}

const HANDSHAKE_MS = 10_000;
const SECURITY = {
  minVersion: 'TLSv1.2',
  /** Costs us far more than who asks for it (TLS 1.2), and nothing here needs it. */
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
} as const;

export function tlsTransport(
  { cert, key, ca }: TlsOptions,
  host: string,
  clock: Clock,
  limits?: StreamLimits,
): Transport {
  const trust = ca === undefined ? {} : { ca };
  return streamTransport(
    {
      name: 'tls',
      ready: 'secureConnect',
      createServer: (taken) =>
        createServer({ cert, key, ...SECURITY, handshakeTimeout: HANDSHAKE_MS }, taken)
          // Whoever cannot say hello in TLS is no business of ours.
          .on('tlsClientError', () => {}),
      connect(peer) {
        const name = peer.serverName ?? peer.host;
        return connect({
          host: peer.host,
          port: peer.port,
          ...trust,
          ...SECURITY,
          // RFC 6066 §3: an address is no server name.
          ...(isIP(name) === 0 ? { servername: name } : {}),
          checkServerIdentity: (_asked, certificate) => identityFault(name, certificate),
        });
      },
    },
    host,
    clock,
    limits,
  );
}

/** RFC 5922 §7.1: a SIP URI of the domain, or its name. */
function identityFault(name: string, certificate: PeerCertificate): Error | undefined {
  const named = (certificate.subjectaltname ?? '').split(', ');
  if (named.includes(`URI:sip:${name}`)) return undefined;
  return checkServerIdentity(name, certificate);
}
