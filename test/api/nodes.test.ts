/** Nodes of a cluster as administrators, load balancers and Prometheus see them. */
import { describe, expect, it } from 'vitest';
import { openNodes } from './cluster-rigs.ts';
import { openRig } from './rigs.ts';

const TOKEN = 'token-of-the-administrator';
const ADMIN = { as: false as const, headers: { authorization: `Bearer ${TOKEN}` } };
const config = `admin: { token: ${TOKEN} }\n`;

const ready = { as: false as const };

describe('the nodes of a cluster', () => {
  it('lists all nodes with calls, load and lease at each of them', async () => {
    const { clock, nodes } = await openNodes(['one', 'two'], { config });
    const [one, two] = nodes;
    await one!.rig.dial();
    await clock.advance(1000);
    const { body } = await two!.rig.request('GET', '/admin/v1/nodes', undefined, ADMIN);
    expect(body['nodes']).toMatchObject([
      { name: 'two', live_calls: 0, answers: true, draining: false },
      { name: 'one', id: one!.id, address: one!.rig.base, live_calls: 1, answers: false },
    ]);
    const [, other] = body['nodes'] as { lease_age_ms: number; lease_left_ms: number; load: number }[];
    expect(other!.lease_age_ms).toBeLessThan(1000);
    expect(other!.lease_left_ms).toBe(1500 - other!.lease_age_ms);
    expect(other!.load).toBeGreaterThan(0);
  });

  it('reports the load of their machines, and the state of the store', async () => {
    const state = { isReachable: true, durability: 'replica', replicas: 1, replicaLagBytes: 0, commitP99Ms: 1.234 };
    const { clock, nodes } = await openNodes(['one', 'two'], { config, state });
    await nodes[0]!.rig.dial();
    await clock.advance(5000);
    const { body } = await nodes[1]!.rig.request('GET', '/admin/v1/nodes', undefined, ADMIN);
    expect(body).toMatchObject({
      nodes: [
        { live_legs: 0, live_sessions: 0 },
        { live_legs: 1, process: { cpu: expect.any(Number), memory_bytes: expect.any(Number) } },
      ],
      store: { reachable: true, durability: 'replica', replicas: 1, replica_lag_bytes: 0, commit_p99_ms: 1.2 },
    });
    const figures = (await nodes[1]!.rig.request('GET', '/metrics', undefined, ADMIN)).text;
    expect(figures).toMatch(/^callweave_store_replicas 1$/m);
    expect(figures).toMatch(/^callweave_cluster_node_calls\{node="one"\} 1$/m);
  });

  it('compares their flows, and logs nodes with other flows after a minute', async () => {
    const { clock, nodes } = await openNodes(['one', 'two'], { config, flows: {} });
    const [one, two] = nodes;
    const isNew = { ...ADMIN, headers: { ...ADMIN.headers, 'if-none-match': '*' } };
    const text = 'flow: only-here\nstart: bye\nsteps: { bye: { hangup: normal } }\n';
    const flowsOf = async () => {
      const { body } = await two!.rig.request('GET', '/admin/v1/nodes', undefined, ADMIN);
      return new Set((body['nodes'] as { flows: string }[]).map(({ flows }) => flows)).size;
    };
    expect(await flowsOf()).toBe(1);
    await one!.rig.request('PUT', '/admin/v1/flows/only-here', { text }, isNew);
    await clock.advance(1000);
    expect(await flowsOf()).toBe(2);
    expect((await two!.rig.request('GET', '/metrics', undefined, ADMIN)).text).toMatch(
      /^callweave_cluster_flows_differ 1$/m,
    );
    await clock.advance(80_000);
    const lines = two!.rig.logLines.filter(({ message }) => message === 'cluster.flows_differ');
    expect(lines).toHaveLength(1);
    for (const { rig } of nodes) rig.logLines.length = 0;
  });

  it('drains a node by a request to any node', async () => {
    const { clock, nodes } = await openNodes(['one', 'two'], { config });
    const [one, two] = nodes;
    const drained = await two!.rig.request('POST', '/admin/v1/nodes/one/drain', undefined, ADMIN);
    expect(drained).toMatchObject({ status: 200, body: { state: 'draining' } });
    expect(await one!.rig.request('GET', '/ready', undefined, ready)).toMatchObject({
      status: 503,
      body: { status: 'draining' },
    });
    // The draining state is visible at once.
    await clock.advance(250);
    const { body } = await two!.rig.request('GET', '/admin/v1/nodes', undefined, ADMIN);
    expect(body['nodes']).toMatchObject([{ draining: false }, { name: 'one', draining: true }]);
    await two!.rig.request('DELETE', `/admin/v1/nodes/${one!.id}/drain`, undefined, ADMIN);
    expect(await one!.rig.request('GET', '/ready', undefined, ready)).toMatchObject({ status: 200 });
    expect(await two!.rig.request('POST', '/admin/v1/nodes/nine/drain', undefined, ADMIN)).toMatchObject({
      status: 404,
      body: { msg: 'node not found' },
    });
  });

  it('is ready while a node has its lease, and reports the age of the lease', async () => {
    const { clock, nodes } = await openNodes(['one', 'two'], { config });
    const { rig, link } = nodes[0]!;
    expect(await rig.request('GET', '/ready', undefined, ready)).toMatchObject({
      status: 200,
      body: { status: 'ready' },
    });
    expect((await rig.request('GET', '/metrics', undefined, ADMIN)).text).toMatch(/^callweave_cluster_nodes 2$/m);
    link.isCut = true;
    await clock.advance(2000);
    expect(await rig.request('GET', '/ready', undefined, ready)).toMatchObject({
      status: 503,
      body: { status: 'no_lease' },
    });
    expect((await rig.request('GET', '/metrics', undefined, ADMIN)).text).toMatch(/^callweave_cluster_lease_valid 0$/m);
    rig.logLines.length = 0;
  });

  it.each([
    ['no_replica', { refusal: 'no_replica' }, /replica of Redis/],
    ['redis_full', { refusal: 'redis_full' }, /maxmemory/],
    ['unreachable', { refusal: 'unreachable' }, /start Redis/],
    ['no_lease', { isCut: true }, /overloaded/],
  ] as const)(
    'shows %s in /ready, /health, figures, list and log of a node that writes nothing',
    async (why, change, remedy) => {
      const { clock, nodes } = await openNodes(['one', 'two'], { config });
      const { rig, link } = nodes[0]!;
      Object.assign(link, change);
      await clock.advance(2000);
      const health = await rig.request('GET', '/health', undefined, ADMIN);
      expect(health).toMatchObject({
        status: 503,
        body: { status: 'failing', why, since: expect.any(String), remedy: expect.stringMatching(remedy) },
      });
      expect(health.body['checks']).toMatchObject({ store: { ok: false, why } });
      expect(await rig.request('GET', '/ready', undefined, ready)).toMatchObject({
        status: 503,
        body: { status: why },
      });
      const figures = (await rig.request('GET', '/metrics', undefined, ADMIN)).text;
      expect([...figures.matchAll(/^callweave_not_ready\{reason="(\w+)"\} 1$/gm)].map(([, reason]) => reason)).toEqual([
        why,
      ]);
      expect(figures).toMatch(/^callweave_store_writable 0$/m);
      const { body } = await rig.request('GET', '/admin/v1/nodes', undefined, ADMIN);
      expect(body).toMatchObject({ not_ready: { why, remedy: expect.stringMatching(remedy) } });
      const dialled = await rig.request('POST', '/voice/v1/call', { from: '1000', to: '2000' });
      expect(dialled).toMatchObject({ status: 503, headers: expect.anything() });
      expect(dialled.headers.get('retry-after')).not.toBeNull();
      const lines = rig.logLines.filter(({ message }) => message === 'store.failing');
      expect(lines.map(({ fields }) => [fields['why'], fields['remedy']])).toEqual([
        [why, expect.stringMatching(remedy)],
      ]);
      Object.assign(link, { refusal: undefined, isCut: false });
      await clock.advance(1000);
      expect(await rig.request('GET', '/health', undefined, ADMIN)).toMatchObject({
        status: 200,
        body: { status: 'ok' },
      });
      expect(rig.logLines.filter(({ message }) => message === 'store.recovered')).toHaveLength(1);
      rig.logLines.length = 0;
    },
  );

  it('warns of a clock that is 5 s off, and refuses calls while it is 30 s off', async () => {
    const { clock, nodes } = await openNodes(['one', 'two'], { config });
    const [one, two] = nodes;
    const clockLines = () => one!.rig.logLines.filter(({ message }) => message.startsWith('cluster.clock_'));
    one!.link.clockAheadMs = 6000;
    await clock.advance(1000);
    expect(await one!.rig.request('GET', '/ready', undefined, ready)).toMatchObject({ status: 200 });
    expect(clockLines().map(({ level, message }) => [level, message])).toEqual([['warn', 'cluster.clock_differs']]);
    one!.link.clockAheadMs = -40_000;
    await clock.advance(2000);
    expect(await one!.rig.request('GET', '/ready', undefined, ready)).toMatchObject({ body: { status: 'clock_off' } });
    expect(await one!.rig.request('GET', '/health', undefined, ADMIN)).toMatchObject({
      status: 503,
      body: { why: 'clock_off', checks: { store: { ok: true }, cluster: { ok: false, clock_offset_ms: -40_000 } } },
    });
    expect((await one!.rig.request('GET', '/metrics', undefined, ADMIN)).text).toMatch(
      /^callweave_cluster_clock_offset_seconds -40$/m,
    );
    const { body } = await two!.rig.request('GET', '/admin/v1/nodes', undefined, ADMIN);
    expect(body['nodes']).toMatchObject([
      { clock_offset_ms: 0 },
      { clock_offset_ms: -40_000, not_ready: { why: 'clock_off' } },
    ]);
    expect(clockLines().at(-1)).toMatchObject({ level: 'error', message: 'cluster.clock_off' });
    one!.link.clockAheadMs = 0;
    await clock.advance(1000);
    expect(await one!.rig.request('GET', '/ready', undefined, ready)).toMatchObject({ status: 200 });
    expect(clockLines().at(-1)).toMatchObject({ level: 'info', message: 'cluster.clock_agrees' });
    one!.rig.logLines.length = 0;
  });

  it('accepts calls while all nodes differ equally from the clock of Redis', async () => {
    const { clock, nodes } = await openNodes(['one', 'two'], { config });
    for (const { link } of nodes) link.clockAheadMs = 40_000;
    await clock.advance(3000);
    for (const { rig } of nodes) {
      expect(await rig.request('GET', '/ready', undefined, ready)).toMatchObject({ status: 200 });
      rig.logLines.length = 0;
    }
  });

  it('lists one node for a single process, which is always ready', async () => {
    const rig = await openRig({ config });
    const { body } = await rig.request('GET', '/admin/v1/nodes', undefined, ADMIN);
    expect(body['nodes']).toMatchObject([{ name: 'callweave', answers: true, address: rig.base }]);
    expect(await rig.request('GET', '/ready', undefined, ready)).toMatchObject({ status: 200 });
    expect(await rig.request('POST', '/admin/v1/nodes/callweave/drain', undefined, ADMIN)).toMatchObject({
      body: { state: 'draining' },
    });
    expect(await rig.request('GET', '/ready', undefined, ready)).toMatchObject({ status: 503 });
  });
});
