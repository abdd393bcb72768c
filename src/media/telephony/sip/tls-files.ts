/** Reads the certificates and keys that the configuration names, at the start and again at a reload. */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { TlsOptions } from './transport-tls.ts';

interface KeyPairFiles {
  cert: string;
  key: string;
}

/** `TlsOptions` with paths of files instead of their contents. */
export interface TlsFiles extends KeyPairFiles, Pick<TlsOptions, 'verifyClient'> {
  port: number;
  ca?: string;
  clientCa?: string;
  clients: readonly (KeyPairFiles & { host: string })[];
}

/** Throws if a file cannot be read. */
export function readTlsFiles({ cert, key, ca, clientCa, clients, ...rest }: TlsFiles): TlsOptions & { port: number } {
  return {
    ...rest,
    ...readKeyPair({ cert, key }),
    ...(ca === undefined ? {} : { ca: readFileSync(ca) }),
    ...(clientCa === undefined ? {} : { clientCa: readFileSync(clientCa) }),
    clients: clients.map(({ host, ...files }) => ({ host, ...readKeyPair(files) })),
  };
}

/** Returns when the first of the configured certificates expires. */
export const expiryOf = ({ cert, clients = [] }: TlsOptions): number =>
  Math.min(
    ...[cert, ...clients.map((client) => client.cert)].map((pem) => new X509Certificate(pem).validToDate.getTime()),
  );

const readKeyPair = ({ cert, key }: KeyPairFiles) => ({ cert: readFileSync(cert), key: readFileSync(key) });
