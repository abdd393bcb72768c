/**
 * SIP over TLS (RFC 3261 §26.2, RFC 5922): our certificate for who connects to us, and theirs, where they have to show one
 * or may; where we connect, the certificate has to be that of the domain that was asked for, and gets the one of ours that
 * is meant for it.
 * Invariant: what a connection is said to prove (`Peer.names`) was vouched for by an authority that the operator named.
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
import type { Clock } from '../../core/clock.ts';
import { namesOf } from './certificate-names.ts';
import type { Transport } from './transport.ts';
import { type StreamLimits, streamTransport } from './transport-stream.ts';

/** PEM. */
export interface OwnCertificate {
  /** With those that vouch for it. */
  cert: string | Buffer;
  key: string | Buffer;
}

export interface TlsOptions extends OwnCertificate {
  /** PEM: who may vouch for those that we connect to; absent: those that the system trusts. */
  ca?: string | Buffer | undefined;
  /** PEM: who may vouch for those that connect to us; absent: they are not asked. */
  clientCa?: string | Buffer | undefined;
  /** Whether they have to show a certificate. Default `optional`. */
  verifyClient?: 'optional' | 'required';
  /** What we show to these hosts, where they ask. */
  clients?: readonly (OwnCertificate & { host: string })[];
}

export interface TlsTransport extends Transport {
  /** Other certificates, from the next connection on; throws, and changes nothing, when they cannot be used. */
  renew(options: TlsOptions): void;
}

const HANDSHAKE_MS = 10_000;
const SECURITY = {
  minVersion: 'TLSv1.2',
  /** Costs us far more than who asks for it (TLS 1.2), and nothing here needs it. */
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
        // Who is not vouched for is refused by `proof`, which can say so.
        const asked = { requestCert, rejectUnauthorized: false, handshakeTimeout: HANDSHAKE_MS };
        check(options);
        server = createServer({ ...contextOf(options), ...asked }, taken)
          // Whoever cannot say hello in TLS is no business of ours.
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
  return {
    ...transport,
    renew(renewed) {
      check(renewed);
      server?.setSecureContext(contextOf(renewed));
      options = renewed;
    },
  };
}

const contextOf = ({ cert, key, clientCa }: TlsOptions) => ({
  ...{ cert, key, ...SECURITY },
  ...(clientCa === undefined ? {} : { ca: clientCa }),
});

/** Throws where something cannot be used, which would otherwise show itself with the first connection, or never. */
function check(options: TlsOptions): void {
  const { ca, clientCa, clients = [] } = options;
  for (const [name, text] of Object.entries({ ca, client_ca: clientCa })) {
    if (text !== undefined && !holdsCertificate(text))
      throw new Error(`there is no certificate in the file of ${name}`);
  }
  for (const { cert, key } of [options, ...clients]) createSecureContext({ cert, key });
}

function holdsCertificate(text: string | Buffer): boolean {
  try {
    return new X509Certificate(text).fingerprint256 !== '';
  } catch {
    return false;
  }
}

/** What who connected to us has shown; a refusal where that is not enough. */
function proofOf(socket: Socket, isRequired: boolean): { names?: readonly string[]; refusal?: string } {
  if (!(socket instanceof TLSSocket)) return {};
  if (socket.authorized) return { names: namesOf(socket.getPeerCertificate()) };
  return isRequired ? { refusal: String(socket.authorizationError ?? 'no certificate') } : {};
}

/** RFC 5922 §7.1: a SIP URI of the domain, or its name. */
function identityFault(name: string, certificate: PeerCertificate): Error | undefined {
  return namesOf(certificate).includes(name.toLowerCase()) ? undefined : checkServerIdentity(name, certificate);
}
