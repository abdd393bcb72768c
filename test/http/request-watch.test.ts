/** Reports to operators about failing requests of flows, even if the flows handle the failure. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { HttpReply } from '../../src/base/core/http-exchange.ts';
import { createFlowHttpClient } from '../../src/base/http/flow-http-client.ts';
import { createHttpClient } from '../../src/base/http/http-client.ts';
import { RequestWatch } from '../../src/base/http/request-watch.ts';
import { VirtualClock } from '../../src/proof/testkit/virtual-clock.ts';

const network: HttpReply = { ok: false, reason: 'network', message: 'the connection failed (ENOTFOUND)' };
const answer = (status: number): HttpReply => ({ ok: true, status, headers: {}, body: null });

function watched() {
  const clock = new VirtualClock();
  const lines: object[] = [];
  const watch = new RequestWatch({
    clock,
    log: { warn: (message, fields) => void lines.push({ message, ...fields }) },
  });
  const counts = () =>
    Object.fromEntries(
      watch.figures[0]!.read()
        .filter(({ value }) => value !== 0)
        .map(({ labels: { host, result }, value }) => [`${host} ${result}`, value]),
    );
  return { clock, lines, watch, counts };
}

describe('request watch', () => {
  it('logs the first failure of a host at once, and then the number of failures once a minute', async () => {
    const { clock, lines, watch } = watched();
    for (let second = 0; second < 90; second++) {
      watch.answered('crm.example', network);
      await clock.advance(1000);
    }
    watch.answered('shop.example:8443', answer(503));
    const line = { message: 'request.failed', host: 'crm.example', result: 'network', why: network.message };
    expect(lines).toEqual([
      { ...line, failures: 1 },
      { ...line, failures: 60 },
      { message: 'request.failed', host: 'shop.example:8443', result: '5xx', why: 'it answered 503', failures: 1 },
    ]);
  });

  it.each<[string, HttpReply]>([
    ['ok', answer(200)],
    ['not_found', answer(404)],
  ])('counts %s and writes no line', (result, reply) => {
    const { lines, watch, counts } = watched();
    watch.answered('crm.example', reply);
    expect([lines, counts()]).toEqual([[], { [`crm.example ${result}`]: 1 }]);
  });

  it('does not count a request whose answer is unknown, because another node sent it', () => {
    const { watch, counts } = watched();
    watch.answered('crm.example', { ok: false, reason: 'unknown', message: '' });
    expect(counts()).toEqual({});
  });

  it('keeps 100 hosts, and counts further ones together', () => {
    const { watch, counts } = watched();
    for (let host = 0; host < 500; host++) watch.answered(`h${host}.example`, answer(200));
    watch.answered('h0.example', answer(200));
    const found = counts();
    expect(Object.keys(found)).toHaveLength(101);
    expect([found['h0.example ok'], found['other ok']]).toEqual([2, 400]);
  });
});

describe('counts of flow requests', () => {
  const closers: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of closers.splice(0)) await close();
  });

  it('includes the requested host, unless the step has ended by then', async () => {
    const { watch, counts, clock } = watched();
    const left = new AbortController();
    const server = createServer((request, response) => {
      if (request.url === '/slow') return left.abort();
      response.writeHead(request.url?.startsWith('/broken') ? 500 : 200).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const client = createHttpClient({ clock, policy: { privateTargets: 'loopback' }, connections: 4 });
    closers.push(
      () => client.close(),
      () => server.close(),
    );
    const send = createFlowHttpClient({
      client,
      sign: () => undefined,
      answered: (name, reply) => watch.answered(name, reply),
    });
    const ask = (path: string, signal = new AbortController().signal) =>
      send({ name: 'ask', method: 'GET', url: `http://${host}${path}`, headers: {}, timeoutMs: 5000 }, 'shop', signal);
    await ask('/fine');
    await ask('/broken?secret=1');
    await ask('/slow', left.signal);
    expect(counts()).toEqual({ [`${host} ok`]: 1, [`${host} 5xx`]: 1 });
  });
});
