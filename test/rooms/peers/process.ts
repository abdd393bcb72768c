/**
 * The process of synthetic peers: the library of WebRTC may end its process, and does not bear the worker threads of tests.
 * It ends with the test.
 */
import { Peer } from './peer.ts';
import type { FromPeers, ToPeers } from './peer-messages.ts';
import { PhonePeer } from './phone.ts';

const peers = new Map<string, Peer | PhonePeer>();

async function run({ peer: name, order }: ToPeers): Promise<unknown> {
  if (order.type === 'add') {
    peers.set(name, new Peer(name, order.mark, order.address));
    return undefined;
  }
  if (order.type === 'add_phone') {
    peers.set(name, new PhonePeer(name, order.address));
    return undefined;
  }
  const peer = peers.get(name);
  if (!peer) throw new Error(`there is no peer ${name}`);
  if (order.type !== 'close') return peer.do(order);
  peers.delete(name);
  peer.close();
  return undefined;
}

const answer = (message: FromPeers): void => {
  if (process.connected) process.send?.(message);
};

process.on('message', (message: ToPeers) => {
  run(message).then(
    (result) => answer({ id: message.id, result }),
    (error: unknown) => answer({ id: message.id, problem: String(error) }),
  );
});
process.once('disconnect', () => process.exit(0));
