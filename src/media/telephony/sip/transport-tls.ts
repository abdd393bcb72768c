/**
 * SIP over TLS (RFC 3261 §26.2, RFC 5922). As a server it presents the configured certificate, and may request or
 * require that of the client. As a client it verifies that the server's certificate belongs to the requested domain,
 * and presents the certificate configured for it.
 * The names that a connection has proved (`Peer.names`) were certified by an authority that the operator configured.
 */
import { constants, X509Certificate } from 'node:crypto';
import { isIP, type Socket } from 'node:net';
import {
  checkServerIdentity,
  connect,
  createSecureContext,
  createServer,
  type PeerCertificate,
  type Server,
  TLSSocket,
} from 'node:tls';
import type { Clock } from '../../../base/core/clock.ts';
import { namesOf } from './certificate-names.ts';
import type { Transport } from './transport.ts';
import { type StreamLimits, streamTransport } from './transport-stream.ts';

/** In PEM. */
export interface OwnCertificate {
  /** With its chain. */
  cert: string | Buffer;
  key: string | Buffer;
}

export interface TlsOptions extends OwnCertificate {
  /** Certificate authorities for outbound connections, in PEM; default: those of the system. */
  ca?: string | Buffer | undefined;
  /** Certificate authorities for clients, in PEM; default: no certificate is requested. */
  clientCa?: string | Buffer | undefined;
  /** Whether clients have to present a certificate; default: `optional`. */
  verifyClient?: 'optional' | 'required';
  /** Client certificates by host. */
  clients?: readonly (OwnCertificate & { host: string })[];
}

export interface TlsTransport extends Transport {
  /** Replaces the certificates from the next connection on. Throws, without any change, if they are unusable. */
  renew(options: TlsOptions): void;
}

const HANDSHAKE_MS = 10_000;
const SECURITY = {
  minVersion: 'TLSv1.2',
  /** Renegotiation costs the server far more than the client (TLS 1.2), and is not needed. */
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
} as const;

export function tlsTransport(given: TlsOptions, host: string, clock: Clock, limits?: StreamLimits): TlsTransport {
  let options = given;
  let server: Server | undefined;
  const transport = streamTransport(
    {
      name: 'tls',
      ready: 'secureConnect',
      createServer(taken) {
        const requestCert = options.clientCa !== undefined;
        // `proof` refuses clients without a valid certificate, because it can report the reason.
        const asked = { requestCert, rejectUnauthorized: false, handshakeTimeout: HANDSHAKE_MS };
        checkCertificates(options);
        server = createServer({ ...contextOf(options), ...asked }, taken)
          // Failed handshakes are not reported.
          .on('tlsClientError', () => {});
        return server;
      },
      proof: (socket) => proofOf(socket, options.verifyClient === 'required'),
      connect(peer) {
        const name = peer.serverName ?? peer.host;
        const own = options.clients?.find((client) => client.host === name.toLowerCase());
        return connect({
          host: peer.host,
          port: peer.port,
          ...(options.ca === undefined ? {} : { ca: options.ca }),
          ...(own ? { cert: own.cert, key: own.key } : {}),
          ...SECURITY,
          // RFC 6066 §3: an IP address is not a server name.
          ...(isIP(name) === 0 ? { servername: name } : {}),
          checkServerIdentity: (_asked, certificate) => identityFault(name, certificate),
        });
      },
    },
    host,
    clock,
    limits,
  );
  return {
    ...transport,
    renew(renewed) {
      checkCertificates(renewed);
      server?.setSecureContext(contextOf(renewed));
      options = renewed;
    },
  };
}

const contextOf = ({ cert, key, clientCa }: TlsOptions) => ({
  ...{ cert, key, ...SECURITY },
  ...(clientCa === undefined ? {} : { ca: clientCa }),
});

/** Throws for unusable certificates, which would otherwise fail with the first connection, or never. */
export function checkCertificates(options: TlsOptions): void {
  const { ca, clientCa, clients = [] } = options;
  for (const [name, text] of Object.entries({ ca, client_ca: clientCa })) {
    if (text !== undefined && !holdsCertificate(text))
      throw new Error(`there is no certificate in the file of ${name}`);
  }
  for (const { cert, key } of [options, ...clients]) createSecureContext({ cert, key });
}

/** Throws if a configured certificate is not valid now: every peer that verifies it would refuse the connection. */
export function checkValidity({ cert, clients = [] }: TlsOptions, nowMs: number): void {
  for (const { cert: pem } of [{ cert }, ...clients]) {
    const { subject, validFromDate, validToDate } = new X509Certificate(pem);
    const name = subject?.replaceAll('\n', ', ') ?? 'without a subject';
    if (validToDate.getTime() <= nowMs)
      throw new Error(`the certificate "${name}" expired at ${validToDate.toISOString()}`);
    if (validFromDate.getTime() > nowMs)
      throw new Error(`the certificate "${name}" is not valid before ${validFromDate.toISOString()}`);
  }
}

function holdsCertificate(text: string | Buffer): boolean {
  try {
    return new X509Certificate(text).fingerprint256 !== '';
  } catch {
    return false;
  }
}

/** Returns what a client's certificate has proved, or a refusal if that is not enough. */
function proofOf(socket: Socket, isRequired: boolean): { names?: readonly string[]; refusal?: string } {
  if (!(socket instanceof TLSSocket)) return {};
  if (socket.authorized) return { names: namesOf(socket.getPeerCertificate()) };
  return isRequired ? { refusal: String(socket.authorizationError ?? 'no certificate') } : {};
}

/** RFC 5922 §7.1: a SIP URI of the domain, or its DNS name. */
function identityFault(name: string, certificate: PeerCertificate): Error | undefined {
  return namesOf(certificate).includes(name.toLowerCase()) ? undefined : checkServerIdentity(name, certificate);
}
