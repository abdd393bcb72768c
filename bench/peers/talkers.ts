/**
 * Far sides of a benchmark in a process of their own: receives the target addresses, reports its ports, and talks until
 * it is killed.
 */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';

const HOST = '127.0.0.53';
const HEADER_BYTES = 12;

process.on('message', async (targets: { host: string; port: number }[]) => {
  const talkers = await Promise.all(
    targets.map(async ({ host, port }, index) => {
      const socket = createSocket({ type: 'udp4', lookup: (address, _options, found) => found(null, address, 4) });
      const listening = once(socket, 'listening');
      socket.bind(0, HOST);
      await listening;
      const packet = Buffer.alloc(HEADER_BYTES + 160, 0x55);
      packet[0] = 0x80;
      packet[1] = 0;
      packet.writeUInt32BE(index + 1, 8);
      return { socket, host, port, packet };
    }),
  );
  process.send!(talkers.map(({ socket }) => socket.address().port));
  const startMs = performance.now();
  let sent = 0;
  setInterval(() => {
    for (; sent * 20 < performance.now() - startMs; sent++) {
      for (const { socket, host, port, packet } of talkers) {
        packet.writeUInt16BE(sent & 0xffff, 2);
        packet.writeUInt32BE((sent * 160) >>> 0, 4);
        socket.send(packet, port, host);
      }
    }
  }, 5);
});
