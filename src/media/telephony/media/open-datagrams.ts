/** Chooses the UDP sockets of a media thread. */
import type { Datagrams, RtpSockets } from './datagrams.ts';
import { NodeDatagrams } from './node-datagrams.ts';

export interface DatagramsOptions {
  sockets: RtpSockets;
  /** Address of the sockets. */
  host: string;
  /** Receives the open descriptors of this thread, for `closeDescriptors`. */
  descriptors: Int32Array;
  nowMs(): number;
}

/** Opens the sockets of this thread: those of the system only if a packet to itself arrives unchanged. */
export async function openDatagrams({ sockets, host, descriptors, nowMs }: DatagramsOptions): Promise<Datagrams> {
  if (sockets === 'auto' && process.platform === 'linux') {
    try {
      const { SystemDatagrams } = await import('./system-datagrams.ts');
      const datagrams = new SystemDatagrams({ descriptors, nowMs });
      if (receivesOwnPacket(datagrams, host)) return datagrams;
      datagrams.end();
    } catch {
      // The library that calls the system is not installed, or does not support this one.
    }
  }
  return new NodeDatagrams(nowMs);
}

const PROBE = Uint8Array.from([0x80, 0, 1, 2, 3, 255]);
const PROBE_MS = 100;

function receivesOwnPacket(datagrams: Datagrams & { turn(waitMs: number): void }, host: string): boolean {
  const loopback = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  let localPort: number | undefined;
  let hasArrived = false;
  const socket = datagrams.open(
    { host, port: 0 },
    {
      bound: (port) => {
        localPort = port;
      },
      refused: () => undefined,
      packet: (bytes, fromHost, fromPort) => {
        hasArrived ||= fromHost === loopback && fromPort === localPort && Buffer.compare(bytes, PROBE) === 0;
      },
    },
  );
  if (localPort === undefined) return false;
  socket.send(PROBE, loopback, localPort);
  datagrams.turn(PROBE_MS);
  socket.close();
  return hasArrived;
}
