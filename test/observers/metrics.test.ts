import { describe, expect, it } from 'vitest';
import { causeOf } from '../../src/core/causes.ts';
import { createMetrics } from '../../src/observers/metrics.ts';
import type { CallRecord, NewEntry } from '../../src/runtime/journal.ts';

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

function watched(readings: Partial<Parameters<typeof createMetrics>[0]> = {}) {
  const metrics = createMetrics({ liveCalls: () => 0, ...readings });
  const tell = (entry: NewEntry, record = RECORD): void =>
    metrics.countEntry({ seq: 1, atMs: 0, ...entry } as never, record);
  return { metrics, tell, text: async () => (await metrics.read()).text };
}

describe('metrics', () => {
  it('counts a call from its begin to its end', async () => {
    const { tell, text } = watched({ liveCalls: () => 7 });
    tell({ kind: 'state', state: 'connected' });
    tell({ kind: 'state', state: 'disconnected', cause: causeOf(16) });
    const read = await text();
    expect(read).toContain('callweave_calls_ended_total{direction="inbound",state="disconnected",cause="16"} 1');
    expect(read).toContain('callweave_call_duration_seconds_sum{direction="inbound"} 60');
    expect(read).toContain('callweave_call_setup_seconds_sum{direction="inbound"} 3');
    expect(read).toContain('callweave_rtp_packets_lost_total 5');
    expect(read).toContain('callweave_call_mos_sum 4.1');
    expect(read).toContain('callweave_calls_live 7');
  });

  it('says when the first certificate expires, where there is one', async () => {
    const name = 'callweave_tls_certificate_expiry_timestamp_seconds';
    expect(await watched({ certificateExpiryMs: () => 1_800_000_000_000 }).text()).toContain(`${name} 1800000000`);
    expect(await watched().text()).not.toContain(name);
  });

  it('a call that was never answered has no duration', async () => {
    const { tell, text } = watched();
    const { answeredMs: _, quality: __, ...unanswered } = RECORD;
    tell(
      { kind: 'state', state: 'failed', cause: causeOf(38) },
      { ...unanswered, state: 'failed', cause: causeOf(38) },
    );
    expect(await text()).not.toContain('callweave_call_duration_seconds_count{');
  });

  it('labels are words of ours: an author’s outcomes are one of them, and nothing tells who called', async () => {
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

  it('asks the rest of the service when somebody looks', async () => {
    let legs = 1;
    const { text, metrics } = watched({
      engine: () => ({ legs }),
      broadcasts: () => ({ running: 2, calls: 30, queued: 4000 }),
    });
    metrics.watchWebhooks(() => ({ waiting: 3, dead: 2, inFlight: 1, circuitsOpen: 4, oldestMs: 90_500 }));
    legs = 4;
    metrics.countDelivery({ outcome: 'failed', durationMs: 20 });
    metrics.countRequest({ route: '/voice/v1/call', method: 'POST', status: 200, durationMs: 5 });
    const read = await text();
    expect(read).toContain('callweave_sip_legs 4');
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
});
