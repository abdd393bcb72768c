/** URLs contain secrets: they are used as given, and shown without them. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FlowLibrary } from '../../src/language/flow/flow-library.ts';
import { replayJournal } from '../../src/proof/testkit/replay.ts';
import type { JournalEntry } from '../../src/service/runtime/journal.ts';
import { verbs } from '../../src/verbs/steps.ts';
import { administered } from '../api/admin-client.ts';
import { NUMBERS } from '../api/rigs.ts';
import { callweave } from '../cli/command.ts';
import { startCall } from '../runtime/test-call.ts';

const [USER, PASSWORD, TOKEN, FRAGMENT] = ['robot77', 'hunter2hunter2', 'tok-81aa52', 'frag-6120'];
const at = (scheme: string): string =>
  `${scheme}://${USER}:${PASSWORD}@bots.example/call?token=${TOKEN}&a=${TOKEN}#${FRAGMENT}`;
const SHOWN = '://•••@bots.example/call?token=•••&a=•••#•••';

const expectHidden = (text: string): void => {
  for (const secret of [USER, PASSWORD, TOKEN, FRAGMENT]) expect(text.includes(secret), secret).toBe(false);
};

const flow = (step: string): string => `flow: f\nstart: a\nsteps:\n  a: ${step}\n  bye: { hangup: normal }\n`;

describe('a URL used by a call', () => {
  it.each([
    ['request', `{ request: { get: "${at('https')}" }, exits: { ok: bye, not_found: bye, failed: bye } }`, 'https'],
    [
      'webhook',
      `{ webhook: { url: "${at('https')}", outcomes: [x] }, exits: { x: bye, timeout: bye, error: bye } }`,
      'https',
    ],
    ['webhook of the call', '{ webhook: { outcomes: [x] }, exits: { x: bye, timeout: bye, error: bye } }', 'http'],
  ])('is used by a %s step, and masked in the journal, which is replayed', async (_what, step, scheme) => {
    const call = await startCall(flow(step), { spec: { eventUrl: at('http') } });
    expect(call.requests[0]?.request.url).toBe(at(scheme));
    call.requests[0]!.answer({ ok: true, status: 200, headers: {}, body: { outcome: 'x' } });
    await call.clock.settle();
    await call.hangUp();
    const journal = call.journal();
    expect(JSON.stringify(journal)).toContain(`${scheme}${SHOWN}`);
    expectHidden(JSON.stringify(journal));
    const directory = mkdtempSync(join(tmpdir(), 'callweave-urls-'));
    writeFileSync(join(directory, 'f.flow.yaml'), flow(step));
    const library = new FlowLibrary(verbs).load(directory);
    expect(await replayJournal(journal, (name) => library.find(name))).toMatchObject({ ok: true });
  });

  it('are masked in a stream of the flow and of REST', async () => {
    for (const byRest of [false, true]) {
      const step = `{ stream: { action: start, url: "${at('wss')}" }, exits: { started: wait, failed: bye } }\n  wait: { pause: 1h, next: bye }`;
      const call = await startCall(
        flow(byRest ? '{ answer: {}, next: wait }\n  wait: { pause: 1h, next: bye }' : step),
        {
          spec: { strictBridgeState: false },
        },
      );
      if (byRest) {
        const start = { type: 'stream', action: 'start', tracks: ['inbound'], bidirectional: false } as const;
        await call.command({ ...start, url: at('wss') });
      }
      await call.clock.advance(1000);
      expect(call.commands.find(({ type }) => type === 'stream')).toMatchObject({ url: at('wss') });
      await call.hangUp();
      expect(JSON.stringify(call.journal())).toContain(`wss${SHOWN}`);
      expectHidden(JSON.stringify(call.journal()));
    }
  });

  it('are masked in a flow of a request, and in the environment', async () => {
    const call = await startCall(flow('{ pause: 1h, next: bye }'), { spec: { env: { crm: at('https') } } });
    const sent = {
      flow: 'sent',
      start: 'ask',
      steps: {
        ask: {
          request: { get: `${at('https')}&x=\${ env.crm }` },
          exits: { ok: 'bye', not_found: 'bye', failed: 'bye' },
        },
        bye: { hangup: 'normal' },
      },
    };
    await call.command({ type: 'flow', flow: sent, input: {} });
    await call.hangUp();
    expectHidden(JSON.stringify(call.journal()));
  });
});

describe('an event URL', () => {
  const MARK = '?key=';

  it('is shown to the administrator without its secrets, enabled in that form, and in no log', async () => {
    const { rig, admin } = await administered({ config: NUMBERS });
    const url = `${rig.webhookUrl.replace('://', `://${USER}:${PASSWORD}@`)}${MARK}${TOKEN}`;
    const shown = `${rig.webhookUrl.replace('://', '://•••@')}${MARK}•••`;
    rig.answerEvent = () => ({ status: 410 });
    await rig.dial({ event_url: url });
    await rig.pass(2000);
    rig.answerEvent = () => ({ status: 204 });
    const dead = await admin('GET', '/projects/shop/dead-letters');
    expect((dead.body['events'] as object[])[0]).toMatchObject({ url: shown });
    const disabled = await admin('GET', '/projects/shop/disabled-urls');
    expect(disabled.body['urls']).toEqual([{ url: shown, disabled: expect.any(String) }]);
    const receivers = await admin('GET', '/receivers');
    expectHidden([dead.text, disabled.text, receivers.text, JSON.stringify(rig.logLines)].join());

    expect((await admin('POST', '/projects/shop/disabled-urls/enable', { url: `${shown}x` })).status).toBe(404);
    expect((await admin('POST', '/projects/shop/disabled-urls/enable', { url: shown })).status).toBe(200);
    expect((await admin('GET', '/projects/shop/disabled-urls')).body['urls']).toEqual([]);
    const masked = await admin('POST', '/projects/shop/dead-letters/resend', { url_prefix: shown });
    expect([masked.status, masked.body['msg']]).toEqual([400, expect.stringMatching(/remove the masked part/)]);
    expect((await admin('POST', '/projects/shop/dead-letters/resend', { url_prefix: url })).body['resent']).toBe(2);
    rig.received.length = 0;
    await rig.pass(1000);
    expect(rig.received).toHaveLength(2);
  });
});

describe('callweave trace', () => {
  it('masks the URLs of journals that were written before they were masked', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'callweave-trace-'));
    const entries = [
      {
        seq: 1,
        atMs: 0,
        kind: 'started',
        direction: 'inbound',
        from: '1',
        to: '2',
        flow: 'f',
        flowHash: '0',
        input: {},
        seed: 1,
        locale: 'en-US',
        env: {},
      },
      { seq: 2, atMs: 1, kind: 'entered', step: 'a', verb: 'request', visit: 1, depth: 0, flow: 'f' },
      { seq: 3, atMs: 2, kind: 'rendered', visit: 1, input: { get: at('https') } },
      { seq: 4, atMs: 3, kind: 'request', requestId: 'r', visit: 1, method: 'GET', url: at('https') },
      {
        seq: 5,
        atMs: 4,
        kind: 'command',
        visit: 1,
        command: { type: 'stream', streamId: 's', url: at('wss'), tracks: [], bidirectional: false },
      },
      { seq: 6, atMs: 5, kind: 'ended', reason: 'completed' },
    ] as unknown as JournalEntry[];
    const file = join(directory, 'old.journal.json');
    writeFileSync(file, JSON.stringify({ callId: 'c', eventUrl: at('https'), entries }));
    for (const options of [[], ['--details'], ['--json']]) {
      const { out } = await callweave(['trace', file, ...options], { cwd: directory });
      expect(out).toContain(SHOWN);
      expectHidden(out);
    }
    expect(readFileSync(file, 'utf8')).toContain(TOKEN);
  });
});
