/** TCP proxy that a test can cut: passes connections on to a port of the loopback address. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface TcpProxy {
  readonly port: number;
  /** Port for new connections. */
  target: number;
  /** `hang`: no data passes, without an error; `reset`: all connections are reset, also new ones. */
  cut(how: 'hang' | 'reset'): void;
  /** Hanging connections continue; new connections are passed on. */
  heal(): void;
  stop(): Promise<void>;
}

const HOST = '127.0.0.1';

export async function startTcpProxy(target: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let isCut: 'hang' | 'reset' | undefined;
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    // After a close or reset, the other side is notified by `close`.
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
    if (isCut === 'hang') socket.pause();
    return socket.setNoDelay(true);
  };
  const server = createServer({ pauseOnConnect: true }, (near) => {
    if (isCut === 'reset') return void near.resetAndDestroy();
    const far = connect(proxy.target, HOST);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      keep(from);
      from.on('data', (chunk) => to.write(chunk));
      from.once('close', () => to.destroy());
    }
    if (isCut === undefined) near.resume();
  });
  server.listen(0, HOST);
  await once(server, 'listening');
  const proxy: TcpProxy = {
    port: (server.address() as AddressInfo).port,
    target,
    cut(how) {
      isCut = how;
      for (const socket of sockets) how === 'hang' ? socket.pause() : socket.resetAndDestroy();
    },
    heal() {
      isCut = undefined;
      for (const socket of sockets) socket.resume();
    },
    async stop() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
  return proxy;
}
