/** Journal of a call over the API: complete, in pages, during the call, and without sensitive values. */
import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/core/json.ts';
import { type ApiRig, OTHER } from './rig.ts';
import { connected, openRig } from './rigs.ts';

interface JournalPage {
  entries: (JsonObject & { seq: number; kind: string })[];
  next: number | undefined;
  body: JsonObject;
}

async function journalOf(rig: ApiRig, call: string, query = ''): Promise<JournalPage> {
  const { status, body, text } = await rig.request('GET', `/voice/v1/call/${call}/journal${query}`);
  expect(status, text).toBe(200);
  return { entries: body['entries'] as JournalPage['entries'], next: body['next'] as number | undefined, body };
}

it('returns the stored entries with the call record and the flow version', async () => {
  const { rig, call } = await connected();
  const { entries, next, body } = await journalOf(rig, call);
  expect(entries).toEqual(await rig.store.calls.journal(call));
  expect(next).toBeUndefined();
  expect(body['flow']).toEqual({ name: 'rest-control', hash: (await rig.store.calls.call(call))!.flowHash });
  expect(body['call']).toEqual(((await rig.request('GET', '/voice/v1/call')).body['calls'] as JsonObject[])[0]);
});

it('returns pages during the call, without gaps or repetitions', async () => {
  const { rig, call } = await connected();
  const seqs: number[] = [];
  const read = async (): Promise<void> => {
    for (let isMore = true; isMore; ) {
      const { entries, next } = await journalOf(rig, call, `?limit=2&after=${seqs.at(-1) ?? 0}`);
      expect(entries.length).toBeLessThanOrEqual(2);
      seqs.push(...entries.map(({ seq }) => seq));
      if (next !== undefined) expect(next).toBe(seqs.at(-1));
      isMore = next !== undefined;
    }
  };
  await read();
  const before = seqs.length;
  expect((await journalOf(rig, call, `?after=${before}`)).entries).toEqual([]);
  await rig.request('PUT', `/voice/v1/call/${call}/play`, { text: 'Hello there' });
  await rig.pass(5000);
  await read();
  rig.farEnd('2000').hangUp();
  await rig.pass(1000);
  await read();
  expect(seqs.length).toBeGreaterThan(before + 3);
  expect(seqs).toEqual((await rig.store.calls.journal(call)).map(({ seq }) => seq));
});

it('returns 404 to another project, as for an unknown call', async () => {
  const { rig, call } = await connected();
  const path = `/voice/v1/call/${call}/journal`;
  const theirs = await rig.request('GET', path, undefined, { as: OTHER });
  const nobodys = await rig.request('GET', path.replace(call, 'no-such-call'), undefined, { as: OTHER });
  expect([theirs.status, nobodys.status]).toEqual([404, 404]);
  const general = ({ body }: { body: JsonObject }) => ({ ...body, voice_id: '', timestamp: '' });
  expect(general(theirs)).toEqual(general(nobodys));
  expect((await rig.request('GET', path, undefined, { as: false })).status).toBe(401);
});

it.each(['limit=0', 'limit=2001', 'after=-1', 'after=x', 'page=2'])(
  '?%s is refused, with the accepted values',
  async (query) => {
    const { rig, call } = await connected();
    const { status, body } = await rig.request('GET', `/voice/v1/call/${call}/journal?${query}`);
    expect([status, typeof body['hint']]).toEqual([400, 'string']);
  },
);

const PIN_FLOW = `
flow: pin
start: ask
defaults: { exits: { error: bye, exhausted: bye } }
steps:
  ask: { collect: { prompt: Your PIN please, digits: { length: 4 } }, sensitive: true, exits: { collected: say } }
  say: { play: "You typed \${ steps.ask.digits }", next: wait }
  wait: { pause: 60s, next: bye }
  bye: { hangup: normal }
`;

it('masks the digits of a sensitive step, and prompts that repeat them', async () => {
  const config = 'numbers: [{ number: "1000", flow: pin }]\n';
  const rig = await openRig({ config, flows: { pin: PIN_FLOW } });
  const caller = rig.call('1000');
  await rig.pass(1000);
  for (const digit of '7193') {
    caller.press(digit);
    await rig.pass(300);
  }
  await rig.pass(5000);
  const { calls } = (await rig.request('GET', '/voice/v1/call')).body as { calls: { voice_id: string }[] };
  const { entries, body } = await journalOf(rig, calls[0]!.voice_id);
  expect(entries.filter(({ kind }) => kind === 'left').map(({ step }) => step)).toContain('say');
  expect(JSON.stringify(body)).toContain('You typed •••');
  expect(JSON.stringify(entries)).not.toMatch(/7193|"digit":"\d"/);
});

it('names the version of each inner flow at its first step', async () => {
  const inner =
    'flow: inner\ndefaults: { exits: { error: $end } }\nstart: say\nsteps:\n  say: { play: { text: Hello. }, next: more }\n  more: { pause: 1s, next: $end }\n';
  const outer =
    'flow: outer\nstart: run\nsteps:\n  run: { subflow: inner, exits: { done: bye, error: bye } }\n  bye: { hangup: normal }\n';
  const rig = await openRig({ config: 'numbers: [{ number: "1001", flow: outer }]\n', flows: { inner, outer } });
  rig.call('1001');
  await rig.pass(10_000);
  const [listed] = (await rig.request('GET', '/voice/v1/call')).body['calls'] as JsonObject[];
  const { entries } = await journalOf(rig, String(listed!['voice_id']));
  const hashes = entries.flatMap(({ kind, step, flowHash }) => (kind === 'entered' ? [[step, flowHash]] : []));
  const graph = await rig.request('GET', '/voice/v1/flow/inner/graph');
  expect(hashes).toEqual([
    ['run', undefined],
    ['say', graph.body['hash']],
    ['more', undefined],
    ['bye', undefined],
  ]);
});
