/** Traces as a collector receives them, over real HTTP, of calls in virtual time. */
import { execFileSync } from 'node:child_process';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';
import { describe, expect, it, vi } from 'vitest';
import { silentLog } from '../../src/base/core/silent-log.ts';
import { readConfigText } from '../../src/config.ts';
import { VirtualClock } from '../../src/proof/testkit/virtual-clock.ts';
import { SpanQueue } from '../../src/service/observers/tracing/span-queue.ts';
import { ADMIN, TOKEN } from '../api/admin-client.ts';
import { ApiRig, type ApiRigOptions } from '../api/rig.ts';
import { openRig } from '../api/rigs.ts';
import { ROOT } from '../cli/command.ts';
import { createMemoryStore } from '../memory-store.ts';
import { type Collector, type ReceivedSpan, startCollector } from './otlp-collector.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';
const traceparent = `00-${TRACE}-${PARENT}-01`;

const flowsOf = (url: string): Record<string, string> => ({
  trip: `
flow: trip
start: greet
defaults: { exits: { error: $end, failed: $end, not_found: talk } }
steps:
  greet: { subflow: hello, next: look_up }
  look_up: { request: { post: "${url}/crm/+33612345678?key=query-secret", headers: { x-key: "\${ secrets.crm }" }, body: { pin: very-secret-pin } }, exits: { ok: own } }
  own: { request: { get: "${url}/missing", headers: { Traceparent: 00-11111111111111111111111111111111-2222222222222222-01 } }, exits: { ok: talk } }
  talk: { bridge: { to: "+33144550077", ring_timeout: 10s }, exits: { completed: $end } }
`,
  hello: `
flow: hello
start: say
defaults: { exits: { error: $end } }
steps: { say: { play: Hello secret words, next: $end } }
`,
  keys: `
flow: keys
start: ask
defaults: { exits: { error: $end, exhausted: $end } }
steps:
  ask: { menu: { prompt: Press a key, choices: { "7": { dtmf: "7" } } }, exits: { "7": bye } }
  bye: { play: Good bye, next: $end }
`,
});

const NUMBERS =
  'numbers: [{ number: "1000", flow: trip }, { number: "2000", flow: keys }]\nsecrets: { crm: crm-secret }\n';

const optionsOf = ({ url }: Collector, more = ''): ApiRigOptions => ({
  config: `${NUMBERS}${ADMIN}tracing: { otlp_url: ${url}/v1/traces, headers: { x-token: collector-secret }${more} }\n`,
  flows: flowsOf(url),
});

async function open(more = ''): Promise<{ rig: ApiRig; collector: Collector }> {
  const collector = await startCollector();
  collector.statusOf['/missing'] = 404;
  return { rig: await openRig(optionsOf(collector, more)), collector };
}

/** The call of `trip` that a client places, to its end; all that was sent for it. */
async function tripOf(rig: ApiRig, headers: Record<string, string> = {}): Promise<string> {
  const order = { from: '1000', to: '+33612345678', flow: 'trip', event_url: `${rig.webhookUrl}?token=event-secret` };
  const { body, status, text } = await rig.request('POST', '/voice/v1/call', order, { headers });
  expect(status, text).toBe(200);
  await rig.pass(20_000);
  rig.farEnd('+33144550077').hangUp();
  await sent(rig);
  return String(body['voice_id']);
}

const named = ({ spans }: Collector, name: string): ReceivedSpan => {
  const found = spans.filter((span) => span.name === name);
  expect(found, `${name} of ${spans.map((span) => span.name).join(', ')}`).toHaveLength(1);
  return found[0]!;
};

describe('the trace of a call', () => {
  it('is one tree below the request that asked for it, with the times of the journal', async () => {
    const { rig, collector } = await open(', service_name: phones');
    const call = await tripOf(rig, { traceparent, tracestate: 'vendor=abc' });
    const journal = await rig.store.calls.journal(call);
    const parents: [name: string, parent: string][] = [
      ['call trip', 'POST /voice/v1/call'],
      ['subflow greet', 'call trip'],
      ['play say', 'subflow greet'],
      ['request look_up', 'call trip'],
      ['request POST', 'request look_up'],
      ['request own', 'call trip'],
      ['request GET', 'request own'],
      ['bridge talk', 'call trip'],
      ['dial', 'bridge talk'],
    ];
    expect(named(collector, 'POST /voice/v1/call').parentSpanId).toBe(PARENT);
    for (const [name, parent] of parents) {
      expect(named(collector, name).parentSpanId, name).toBe(named(collector, parent).spanId);
    }
    const webhooks = collector.spans.filter(({ name }) => name === 'webhook');
    expect(webhooks).toHaveLength(rig.received.length);
    for (const { parentSpanId } of webhooks) expect(parentSpanId).toBe(named(collector, 'call trip').spanId);
    expect(collector.spans).toHaveLength(parents.length + 1 + webhooks.length);
    expect(new Set(collector.spans.map(({ traceId }) => traceId))).toEqual(new Set([TRACE]));
    expect(new Set(collector.spans.map(({ traceState }) => traceState))).toEqual(new Set(['vendor=abc']));

    const root = named(collector, 'call trip');
    expect([root.startMs, root.endMs]).toEqual([journal[0]!.atMs, journal.at(-1)!.atMs]);
    const talk = journal.find((entry) => entry.kind === 'entered' && entry.step === 'talk');
    expect(named(collector, 'bridge talk').startMs).toBe(talk!.atMs);
    for (const { startMs, endMs } of collector.spans) expect(endMs).toBeGreaterThanOrEqual(startMs);
    expect(root.events.map(({ name }) => name)).toEqual(['ringing', 'connected', 'disconnected']);
    expect(named(collector, 'dial').events.map(({ name }) => name)).toEqual(['ringing', 'answered']);
    expect(collector.resource).toMatchObject({ 'service.name': 'phones' });
    expect(collector.headers[0]).toMatchObject({ 'x-token': 'collector-secret' });
  });

  it('has outcomes, statuses and causes, and says where something failed', async () => {
    const { rig, collector } = await open();
    const call = await tripOf(rig);
    expect(named(collector, 'call trip').attributes).toMatchObject({
      'callweave.call.id': call,
      'callweave.direction': 'outbound',
      'callweave.to': '+********678',
      'callweave.cause': 16,
      'callweave.end': 'completed',
    });
    expect(named(collector, 'request look_up').attributes).toMatchObject({ 'callweave.outcome': 'ok' });
    expect(named(collector, 'request POST')).toMatchObject({
      attributes: { 'http.response.status_code': 200, 'server.address': '127.0.0.1' },
      status: 0,
    });
    expect(named(collector, 'request GET')).toMatchObject({ attributes: { 'error.type': '404' }, status: 2 });
    expect(named(collector, 'dial').attributes).toMatchObject({ 'callweave.cause': 16, 'callweave.ended_by': 'far' });
    expect(collector.spans.find(({ name }) => name === 'webhook')!.attributes).toMatchObject({
      'http.response.status_code': 204,
    });
  });

  it('continues at receivers and servers: each gets the span of its own request, unless the flow sets a trace', async () => {
    const { rig, collector } = await open();
    await tripOf(rig, { traceparent, tracestate: 'vendor=abc,bad key=1' });
    const headersOf = ({ spanId }: ReceivedSpan) => ({
      traceparent: `00-${TRACE}-${spanId}-01`,
      tracestate: 'vendor=abc',
    });
    const [crm, own] = collector.asked;
    expect(crm!.headers).toMatchObject(headersOf(named(collector, 'request POST')));
    expect(own!.headers['traceparent']).toMatch(/^00-1{32}-/);
    const webhooks = collector.spans.filter(({ name }) => name === 'webhook');
    expect(rig.received.map(({ headers }) => headers['traceparent']).sort()).toEqual(
      webhooks.map((span) => headersOf(span).traceparent).sort(),
    );
  });

  it('continues after a crash: events sent by the next process belong to it', async () => {
    const collector = await startCollector();
    const options = { ...optionsOf(collector), store: createMemoryStore() };
    const rig = await ApiRig.open(options);
    collector.statusOf['/events'] = 503;
    const order = { from: '1000', to: '+33612345678', flow: 'keys', event_url: `${collector.url}/events` };
    await rig.request('POST', '/voice/v1/call', order, { headers: { traceparent } });
    await rig.pass(2000);
    await rig.crash();
    const eventsOf = () => collector.asked.filter(({ path }) => path === '/events');
    const before = eventsOf().length;
    collector.statusOf = {};
    const next = await openRig(options);
    await next.pass(60_000);
    const later = eventsOf().slice(before);
    expect(later.length).toBeGreaterThan(0);
    for (const { headers } of later) expect(headers['traceparent']).toMatch(new RegExp(`^00-${TRACE}-\\w{16}-01$`));
  });

  it('has no secret, no word, no digit and no whole number in it', async () => {
    const { rig, collector } = await open();
    const asking = rig.call('2000', '+33699887766');
    await rig.pass(2000);
    asking.press('7');
    await rig.pass(5000);
    await tripOf(rig);
    expect(named(collector, 'menu ask').attributes).toMatchObject({ 'callweave.outcome': 'choice' });
    const all = Buffer.concat(collector.bytes).toString('latin1');
    expect(all).toContain('callweave.outcome');
    for (const secret of [
      '-secret',
      'very-secret-pin',
      'secret words',
      'Press a key',
      '612345678',
      '144550077',
      '699887766',
    ]) {
      expect(all, secret).not.toContain(secret);
    }
  });

  it.each([
    ['is malformed', `00-${TRACE}-${PARENT}`],
    ['is of zeros', `00-${'0'.repeat(32)}-${PARENT}-01`],
    ['is in capitals', traceparent.toUpperCase().replace('00-0AF', '00-0AF')],
    ['is of a forbidden version', traceparent.replace('00-', 'ff-')],
    ['has more than it may', `${traceparent}-more`],
    ['is long', `01${traceparent.slice(2)}-${'x'.repeat(5000)}`],
    ['injects', `${traceparent}\tx`],
  ])('starts a new trace where the header %s, and the request succeeds', async (_, header) => {
    const { rig, collector } = await open();
    await tripOf(rig, { traceparent: header, tracestate: 'vendor=abc' });
    const [, ...others] = new Set(collector.spans.map(({ traceId }) => traceId));
    expect(others).toEqual([]);
    expect(named(collector, 'POST /voice/v1/call')).toMatchObject({ parentSpanId: '', traceState: '' });
    expect(named(collector, 'call trip').traceId).not.toBe(TRACE);
  });
});

describe('sampling', () => {
  it('follows the decision of the parent, and passes it on', async () => {
    const { rig, collector } = await open(', sample: 1');
    await tripOf(rig, { traceparent: traceparent.replace(/01$/, '00') });
    expect(collector.spans).toEqual([]);
    expect(collector.asked[0]!.headers['traceparent']).toMatch(new RegExp(`^00-${TRACE}-\\w{16}-00$`));
  });

  it('records none of those that begin here by `sample: 0`, and those of others', async () => {
    const { rig, collector } = await open(', sample: 0');
    rig.call('2000');
    await rig.pass(1000);
    await tripOf(rig, { traceparent });
    expect(new Set(collector.spans.map(({ traceId }) => traceId))).toEqual(new Set([TRACE]));
  });
});

describe('a collector that is away', () => {
  it('affects only the log and the metrics if it fails, and drops its spans', async () => {
    const { rig, collector } = await open();
    collector.status = 400;
    for (let n = 0; n < 2; n++) {
      rig.call('2000');
      await rig.pass(100);
      rig.farEnd('2000').hangUp();
      await sent(rig);
    }
    expect(rig.logLines.filter(({ message }) => message === 'tracing.failed')).toHaveLength(1);
    const text = await metricsOf(rig);
    expect(text).toMatch(/^callweave_trace_spans_total\{result="failed"\} [1-9]/m);
    expect(text).toMatch(/^callweave_trace_spans_total\{result="sent"\} 0$/m);
    collector.status = 200;
    rig.call('2000');
    await rig.pass(100);
    rig.farEnd('2000').hangUp();
    await sent(rig);
    expect(rig.logLines.some(({ message }) => message === 'tracing.recovered')).toBe(true);
    expect(collector.spans.length).toBeGreaterThan(0);
  });
});

const metricsOf = async ({ base }: ApiRig): Promise<string> =>
  (await fetch(`${base}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } })).text();

/** Until the collector has answered to all that has ended. */
async function sent(rig: ApiRig): Promise<void> {
  await rig.pass(1000);
  await vi.waitFor(
    async () => {
      await rig.pass(1000);
      expect(await metricsOf(rig)).toMatch(/^callweave_trace_spans_waiting 0$/m);
    },
    { timeout: 10_000, interval: 5 },
  );
}

it.each([
  ['no URL', '{}', 'otlp_url'],
  ['another protocol', '{ otlp_url: "grpc://collector:4317" }', 'http or https'],
  ['a password in the URL', '{ otlp_url: "http://me:very-secret@collector/v1/traces" }', 'without a name, a password'],
  ['more than all', '{ otlp_url: "http://collector/v1/traces", sample: 2 }', '1'],
  ['a secret that is not there', '{ otlp_url: "http://collector/", headers: { x: { env: NOT_SET } } }', 'NOT_SET'],
])('rejects a configuration with %s in words', (_, written, words) => {
  const { config, diagnostics } = readConfigText(`tracing: ${written}`, 'callweave.yaml');
  expect(config).toBeUndefined();
  expect(diagnostics).toHaveLength(1);
  expect(diagnostics[0]!.message).toContain(words);
  expect(JSON.stringify(diagnostics)).not.toContain('very-secret');
});

describe('the packages', () => {
  it('are loaded only where the configuration asks for traces', () => {
    const script = `
      import { registerHooks } from 'node:module';
      const loaded = new Set();
      registerHooks({ resolve(specifier, context, next) {
        if (specifier.startsWith('@opentelemetry/')) loaded.add(specifier);
        return next(specifier, context);
      } });
      const { traced } = await import('./src/app/base.ts');
      await import('./src/app.ts');
      const list = () => [...loaded].sort();
      const base = (tracing) => ({ config: { tracing }, state: { closers: [] } });
      await traced(base());
      const off = list();
      await traced(base({ otlpUrl: 'http://127.0.0.1:9/', headers: {}, sample: 1, serviceName: 'x' }));
      console.log(JSON.stringify({ off, on: list() }));`;
    const options = { cwd: ROOT, encoding: 'utf8' } as const;
    const printed = execFileSync(process.execPath, ['--input-type=module', '-e', script], options);
    const { off, on } = JSON.parse(printed) as Record<string, string[]>;
    // Its API alone is of prom-client, too.
    expect(off).toEqual(['@opentelemetry/api']);
    expect(on).toContain('@opentelemetry/sdk-trace');
    expect(on).toContain('@opentelemetry/exporter-trace-otlp-proto');
  });
});

describe('the queue of spans', () => {
  const span = {} as ReadableSpan;

  it('is bounded while the collector does not answer, counts what is dropped, and does not hold up the end', async () => {
    const clock = new VirtualClock();
    const exporter = { export: () => undefined, shutdown: async () => undefined };
    const queue = new SpanQueue(exporter, { clock, log: silentLog });
    for (let n = 0; n < 10_000; n++) queue.onEnd(span);
    // One batch of 512 is in flight.
    expect(queue.counts).toEqual({ sent: 0, dropped: 10_000 - 8192 - 512, failed: 0, waiting: 8192 + 512 });
    let isClosed = false;
    const closed = queue.shutdown().then(() => {
      isClosed = true;
    });
    await clock.advance(1999);
    expect(isClosed).toBe(false);
    await clock.advance(1);
    await closed;
  });

  it('sends a batch at a time, and at the latest after a second', async () => {
    const clock = new VirtualClock();
    const batches: number[] = [];
    const exporter: SpanExporter = {
      export(spans, done) {
        batches.push(spans.length);
        done({ code: 0 });
      },
      shutdown: async () => undefined,
    };
    const queue = new SpanQueue(exporter, { clock, log: silentLog });
    for (let n = 0; n < 600; n++) queue.onEnd(span);
    await clock.advance(999);
    expect(batches).toEqual([512]);
    await clock.advance(1);
    expect(batches).toEqual([512, 88]);
    expect(queue.counts).toEqual({ sent: 600, dropped: 0, failed: 0, waiting: 0 });
  });
});
