import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';
import { expect, it } from 'vitest';
import { gradualConnector } from '../../src/base/http/gradual-connector.ts';
import { VirtualClock } from '../../src/proof/testkit/virtual-clock.ts';

type Target = Parameters<buildConnector.connector>[0];

/** A server that accepts connections when the test says so. */
function gradual(opening: number) {
  const clock = new VirtualClock();
  const asked: buildConnector.Callback[] = [];
  const connect = gradualConnector((_target, done) => void asked.push(done), { opening, clock });
  const results: unknown[] = [];
  const open = (): void => connect({} as Target, (...[error, socket]) => void results.push(error ?? socket));
  const accept = (): EventEmitter => {
    const socket = new EventEmitter();
    asked.shift()!(null, socket as Socket);
    return socket;
  };
  const fail = (): void => asked.shift()!(new Error('refused'), null);
  return { clock, asked, results, open, accept, fail };
}

it('opens few connections at a time, the next one when the server has answered on one', async () => {
  const { clock, asked, results, open, accept } = gradual(2);
  for (let count = 0; count < 5; count++) open();
  expect(asked).toHaveLength(2);
  const [first, second] = [accept(), accept()];
  expect(results).toEqual([first, second]);
  expect(asked).toHaveLength(0);
  first.emit('readable');
  expect(asked).toHaveLength(1);
  // Each counts once, whatever its result.
  first.emit('close');
  first.emit('readable');
  await clock.advance(99);
  expect(asked).toHaveLength(1);
  second.emit('close');
  expect(asked).toHaveLength(2);
  await clock.advance(1000);
  expect(asked).toHaveLength(2);
});

it('limits the wait for an answer to the time a server needs to accept', async () => {
  const { clock, asked, open, accept } = gradual(1);
  open();
  open();
  accept();
  await clock.advance(99);
  expect(asked).toHaveLength(0);
  await clock.advance(1);
  expect(asked).toHaveLength(1);
});

it('continues after a connection that failed', () => {
  const { asked, results, open, accept, fail } = gradual(1);
  open();
  open();
  fail();
  const socket = accept();
  expect(results).toEqual([new Error('refused'), socket]);
  expect(asked).toHaveLength(0);
});
