/** Phones in browsers while another node may have taken their token. */
import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import type { UsedTokens } from '../../src/base/core/single-use-tokens.ts';
import { createMemoryStore } from '../memory-store.ts';
import { openRig } from './rigs.ts';

/** A page that has sent the message `call` and whose token is being checked in the store. */
async function askingPage() {
  const asked = Promise.withResolvers<(isFirst: boolean | undefined) => void>();
  const usedTokens: UsedTokens = {
    use: (_, done) => asked.resolve(done),
    isUsed: (_, done) => done(false),
  };
  const rig = await openRig({ store: { ...createMemoryStore(), usedTokens } });
  const { body } = await rig.request('POST', '/voice/v1/webphone', { number: '1000' });
  const socket = new WebSocket(`${rig.base.replace('http', 'ws')}/voice/v1/webphone/connect`);
  onTestFinished(() => socket.terminate());
  const received: string[] = [];
  socket.on('message', (data) => void received.push((JSON.parse(data.toString()) as { type: string }).type));
  const say = (message: object): void => socket.send(JSON.stringify(message));
  const closed = once(socket, 'close');
  const arrived = async (): Promise<void> => {
    socket.ping();
    await once(socket, 'pong');
  };
  await once(socket, 'open');
  const call = { type: 'call', token: body['token'], sdp: 'v=0\r\n' };
  say(call);
  return { rig, socket, received, say, closed, arrived, call, answer: await asked.promise };
}

describe('a phone in a browser whose token is being checked', () => {
  it('makes no call if its page is closed meanwhile', async () => {
    const { rig, socket, closed, answer } = await askingPage();
    socket.close();
    await closed;
    answer(true);
    expect(rig.app.liveCalls).toBe(0);
  });

  it('hangs up what it hung up meanwhile', async () => {
    const { rig, received, say, closed, arrived, answer } = await askingPage();
    say({ type: 'hangup' });
    await arrived();
    answer(true);
    await rig.pass(1000);
    await closed;
    expect([received[0], received.at(-1), rig.app.liveCalls]).toEqual(['calling', 'ended', 0]);
  });

  it('makes one call, however often it asks', async () => {
    const { rig, received, say, closed, arrived, call, answer } = await askingPage();
    say(call);
    await arrived();
    answer(true);
    await rig.pass(1000);
    await closed;
    expect(received.slice(0, 2)).toEqual(['calling', 'error']);
    expect(rig.app.liveCalls).toBe(0);
  });
});
