/** Transport of a `Phone`: a UDP socket, or TCP connections in both directions. */
import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface PhoneAddress {
  host: string;
  port: number;
}

export interface PhoneTransport {
  readonly transport: 'udp' | 'tcp';
  readonly port: number;
  /** Set by the phone. */
  receive: (text: string) => void;
  send(text: string, to: PhoneAddress): void;
  /** Closes the connections, and keeps the listening socket. */
  cut(): void;
  /** Stops accepting connections. */
  deafen(): void;
  close(): void;
}

export async function boundSocket(host: string): Promise<UdpSocket> {
  // A synchronous look-up, so that a message is sent before the socket can be closed.
  const socket = createSocket({ type: 'udp4', lookup: (address, _options, done) => done(null, address, 4) });
  const listening = once(socket, 'listening');
  socket.bind({ address: host, port: 0 });
  await listening;
  return socket;
}

export async function udpPhoneTransport(host: string): Promise<PhoneTransport> {
  const socket = await boundSocket(host);
  const line: PhoneTransport = {
    transport: 'udp',
    port: socket.address().port,
    receive: () => {},
    send: (text, to) => socket.send(text, to.port, to.host),
    cut: () => {},
    deafen: () => {},
    close: () => socket.close(),
  };
  socket.on('message', (bytes) => line.receive(bytes.toString('utf8')));
  return line;
}

export async function tcpPhoneTransport(host: string): Promise<PhoneTransport> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => adopt(socket));
  server.listen({ host, port: 0 });
  await once(server, 'listening');
  const adopt = (socket: Socket): Socket => {
    let text = '';
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => {});
    return socket.on('data', (chunk) => {
      text += chunk.toString('utf8');
      for (let size = sizeOf(text); size !== undefined && text.length >= size; size = sizeOf(text)) {
        const message = text.slice(0, size);
        text = text.slice(size);
        line.receive(message);
      }
    });
  };
  const line: PhoneTransport = {
    transport: 'tcp',
    port: (server.address() as AddressInfo).port,
    receive: () => {},
    send: (text, to) => {
      const open = [...sockets].at(-1) ?? adopt(connect({ ...to, localAddress: host }));
      open.write(text);
    },
    cut: () => {
      for (const socket of sockets) socket.destroy();
      sockets.clear();
    },
    deafen: () => void server.close(),
    close: () => {
      line.cut();
      server.close();
    },
  };
  return line;
}

/** Length of the message at the start of the ASCII text; undefined until its head is complete. */
function sizeOf(text: string): number | undefined {
  const end = text.indexOf('\r\n\r\n');
  return end < 0 ? undefined : end + 4 + Number(/^Content-Length: *(\d+)/im.exec(text.slice(0, end + 2))?.[1] ?? 0);
}
