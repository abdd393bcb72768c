/**
 * Connection from the media process to the mix of a room's phones: UDP on loopback
 * (`media/toolbox/audio/mix-frame.ts`).
 */
import { createSocket } from 'node:dgram';
import { LOOPBACK, type MixAddress, readFrame, writeFrame } from '../../toolbox/audio/mix-frame.ts';

export interface MixLink {
  send(pcm: Int16Array): void;
  close(): void;
}

export type OpenMixLink = (
  at: MixAddress,
  heard: (pcm: Int16Array) => void,
  failed: (error: unknown) => void,
) => MixLink;

/** The socket is connected, so that the system drops packets from other addresses. */
export const openMixLink: OpenMixLink = ({ port, key: digits }, heard, failed) => {
  const key = Buffer.from(digits, 'hex');
  const socket = createSocket('udp4');
  let isConnected = false;
  let hasFailed = false;
  socket.on('error', (error) => {
    if (!hasFailed) failed(error);
    hasFailed = true;
  });
  socket.on('message', (bytes) => {
    const frame = readFrame(key, bytes);
    if (frame) heard(frame);
  });
  socket.bind(0, LOOPBACK, () =>
    socket.connect(port, LOOPBACK, () => {
      isConnected = true;
    }),
  );
  return {
    // Send errors are ignored: the mix may be closed already, which the service reports.
    send: (pcm) => (isConnected ? socket.send(writeFrame(key, pcm), () => undefined) : undefined),
    close: () => socket.close(),
  };
};
