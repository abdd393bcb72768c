import { describe, expect, it } from 'vitest';
import { causeOf } from '../../src/base/core/causes.ts';
import { Distribution, type FigureSource, Tally } from '../../src/base/core/figures.ts';
import { VirtualClock } from '../../src/proof/testkit/virtual-clock.ts';
import { callFigures } from '../../src/service/calls/call-figures.ts';
import { createCallRefusals } from '../../src/service/calls/call-refusals.ts';
import { DIAL_REFUSALS } from '../../src/service/calls/capacity.ts';
import { CALLBACK_ENDS } from '../../src/service/calls/conferences/callback.ts';
import { createMetrics } from '../../src/service/observers/metrics.ts';
import { webhookFigures } from '../../src/service/observers/webhooks/webhook-figures.ts';
import type { CallRecord, NewEntry } from '../../src/service/runtime/journal.ts';

const RECORD: CallRecord = {
  callId: 'call-1',
  projectId: 'p',
  direction: 'inbound',
  from: '+33612345678',
  to: '+33199001122',
  state: 'disconnected',
  flow: 'secret-flow',
  flowHash: 'h',
  startedMs: 0,
  answeredMs: 3000,
  endedMs: 63_000,
  cause: causeOf(16),
  quality: { codec: 'PCMU', packetsSent: 10, packetsReceived: 95, packetsLost: 5, jitterMs: 2, mos: 4.1 },
};

function watched(...sources: FigureSource[]) {
  const metrics = createMetrics({ clock: new VirtualClock() });
  for (const source of sources) metrics.add(source);
  const tell = (entry: NewEntry, record = RECORD): void =>
    metrics.countEntry({ seq: 1, atMs: 0, ...entry } as never, record);
  return { metrics, tell, text: async () => (await metrics.read()).text };
}

describe('metrics', () => {
  it('counts a call from its begin to its end', async () => {
    const { tell, text } = watched();
    tell({ kind: 'state', state: 'connected' });
    tell({ kind: 'state', state: 'disconnected', cause: causeOf(16) });
    const read = await text();
    expect(read).toContain('callweave_calls_ended_total{direction="inbound",state="disconnected",cause="16"} 1');
    expect(read).toContain('callweave_call_duration_seconds_sum{direction="inbound"} 60');
    expect(read).toContain('callweave_call_setup_seconds_sum{direction="inbound"} 3');
    expect(read).toContain('callweave_rtp_packets_lost_total 5');
    expect(read).toContain('callweave_call_mos_sum 4.1');
  });

  it('includes no duration of a call that was never answered', async () => {
    const { tell, text } = watched();
    const { answeredMs: _, quality: __, ...unanswered } = RECORD;
    tell(
      { kind: 'state', state: 'failed', cause: causeOf(38) },
      { ...unanswered, state: 'failed', cause: causeOf(38) },
    );
    expect(await text()).not.toContain('callweave_call_duration_seconds_count{');
  });

  it('uses labels of a closed set: outcomes of authors are one of them, and none identifies a caller', async () => {
    const { tell, text } = watched();
    const left = { kind: 'left', step: 'ask-the-king', verb: 'menu', visit: 1 } as const;
    tell({ ...left, outcome: 'crown-jewels' });
    tell({ ...left, outcome: 'exhausted.no_input' });
    tell({ ...left, outcome: '$dtmf.9' });
    const read = await text();
    expect(read).toContain('callweave_steps_total{verb="menu",outcome="other"} 1');
    expect(read).toContain('callweave_steps_total{verb="menu",outcome="exhausted"} 1');
    expect(read).toContain('callweave_steps_total{verb="menu",outcome="interrupt"} 1');
    for (const secret of ['crown', 'king', 'secret-flow', '336123', '331990', 'call-1'])
      expect(read).not.toContain(secret);
  });

  it('asks the rest of the service at the scrape', async () => {
    let running = 1;
    const { text, metrics } = watched(
      callFigures({
        liveCalls: () => 7,
        maxCalls: () => 500,
        projects: () => [['shop', { inbound: 3, outbound: 4 }]],
        dialRefusals: new Tally(DIAL_REFUSALS),
        refusals: createCallRefusals(),
        broadcasts: () => ({ running, calls: 30, queued: 4000 }),
        callbacks: { figures: { waiting: 5, calling: 1 }, ends: new Tally(CALLBACK_ENDS) },
      }),
      webhookFigures(async () => ({ waiting: 3, dead: 2, inFlight: 1, circuitsOpen: 4, oldestMs: 90_500 })),
    );
    running = 2;
    metrics.countDelivery({ outcome: 'failed', durationMs: 20 });
    metrics.countRequest({ route: '/voice/v1/call', method: 'POST', status: 200, durationMs: 5 });
    const read = await text();
    expect(read).toContain('callweave_calls_live 7');
    expect(read).toContain('callweave_calls_limit 500');
    expect(read).toContain('callweave_project_calls_live{project="shop",direction="outbound"} 4');
    expect(read).toContain('callweave_dials_refused_total{reason="project_full"} 0');
    expect(read).toContain('callweave_queue_callbacks{state="waiting"} 5');
    expect(read).toContain('callweave_queue_callbacks_ended_total{reason="no_answer"} 0');
    expect(read).toContain('callweave_calls_refused_total{reason="no_capacity"} 0');
    expect(read).toContain('callweave_broadcasts_running 2');
    expect(read).toContain('callweave_broadcast_calls_live 30');
    expect(read).toContain('callweave_broadcast_numbers_queued 4000');
    expect(read).toContain('callweave_webhooks_waiting 3');
    expect(read).toContain('callweave_webhooks_dead 2');
    expect(read).toContain('callweave_webhooks_in_flight 1');
    expect(read).toContain('callweave_webhooks_circuits_open 4');
    expect(read).toContain('callweave_webhooks_oldest_waiting_seconds 90.5');
    expect(read).toContain('callweave_webhook_attempts_total{outcome="failed"} 1');
    expect(read).toContain('callweave_http_requests_total{route="/voice/v1/call",method="POST",status="200"} 1');
  });

  it('writes a distribution that another part keeps as a histogram, and quotes what labels contain', async () => {
    const waits = new Distribution([1, 5]);
    for (const seconds of [0.5, 1, 3, 60]) waits.add(seconds);
    const help = 'How long people wait';
    const read = () => [{ labels: { gateway: 'a"b\\c' }, value: waits }];
    const figures = [{ name: 'wait_seconds', type: 'histogram', help, labels: ['gateway'], read }] as const;
    const { text } = watched({ figures });
    const label = 'gateway="a\\"b\\\\c"';
    expect((await text()).split('\n').filter((line) => line.includes('wait_seconds'))).toEqual([
      `# HELP callweave_wait_seconds ${help}`,
      '# TYPE callweave_wait_seconds histogram',
      `callweave_wait_seconds_bucket{${label},le="1"} 2`,
      `callweave_wait_seconds_bucket{${label},le="5"} 3`,
      `callweave_wait_seconds_bucket{${label},le="+Inf"} 4`,
      `callweave_wait_seconds_sum{${label}} 64.5`,
      `callweave_wait_seconds_count{${label}} 4`,
    ]);
  });

  it('is not held up by a part that does not answer: its figures stay as they were', async () => {
    const clock = new VirtualClock();
    const metrics = createMetrics({ clock });
    metrics.add({
      refresh: () => new Promise(() => undefined),
      figures: [{ name: 'last', type: 'gauge', help: 'As it was', read: () => 4 }],
    });
    metrics.add({
      refresh: () => Promise.reject(new Error('the disk is gone')),
      figures: [{ name: 'nothing', type: 'gauge', help: 'Not known', read: () => undefined }],
    });
    const reading = metrics.read();
    await clock.advance(1000);
    const { text } = await reading;
    expect(text).toContain('callweave_last 4');
    expect(text).not.toMatch(/^callweave_nothing/m);
  });
});
