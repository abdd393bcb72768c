/** The API has a limited number of connections, and one host must not use all of them. */
import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { limitConnectionsPerHost } from '../../src/service/api/http-server.ts';

class FakeSocket extends EventEmitter {
  destroyed = false;
  readonly remoteAddress: string;
  constructor(remoteAddress: string) {
    super();
    this.remoteAddress = remoteAddress;
  }
  destroy(): void {
    this.destroyed = true;
    this.emit('close');
  }
}

it('limits connections for each host, except for this machine', () => {
  const admit = limitConnectionsPerHost(2);
  const knock = (host: string): FakeSocket => {
    const socket = new FakeSocket(host);
    admit(socket as unknown as Socket);
    return socket;
  };
  const [first, , third] = ['203.0.113.1', '::ffff:203.0.113.1', '203.0.113.1'].map(knock);
  expect([first?.destroyed, third?.destroyed]).toEqual([false, true]);
  expect(knock('203.0.113.2').destroyed).toBe(false);
  for (const host of ['127.0.0.1', '::1', '::ffff:127.0.0.1']) {
    expect([knock(host), knock(host), knock(host)].map(({ destroyed }) => destroyed)).toEqual([false, false, false]);
  }
  first?.destroy();
  expect(knock('203.0.113.1').destroyed).toBe(false);
  expect(knock('203.0.113.1').destroyed).toBe(true);
});
