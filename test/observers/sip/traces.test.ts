/** SIP messages kept per call: selection, limits, and when they are stored and dropped. */
import { expect, it } from 'vitest';
import { causeOf } from '../../../src/base/core/causes.ts';
import type { LegEvent, LegSip } from '../../../src/base/core/leg.ts';
import type { CapturedSip } from '../../../src/base/core/sip-capture.ts';
import { VirtualClock } from '../../../src/proof/testkit/virtual-clock.ts';
import { createSipMask } from '../../../src/service/observers/sip/mask.ts';
import { type SipTraceLimits, SipTraces } from '../../../src/service/observers/sip/traces.ts';
import type { CallRecord, JournalEntry, NewEntry } from '../../../src/service/runtime/journal.ts';
import { recordOf } from '../../contracts/store/call-fixtures.ts';
import { inviteText, LOCAL, passing, responseText, sipText } from './messages.ts';

function open(keep: 'failed' | 'all' = 'failed', limits: Partial<SipTraceLimits> = {}) {
  const clock = new VirtualClock();
  const written = new Map<string, CapturedSip[]>();
  const errors: unknown[] = [];
  let isBroken = false;
  const traces = new SipTraces({
    ...{ keep, clock, limits, mask: createSipMask(), failed: (error) => errors.push(error) },
    store: {
      async append(callId, messages) {
        if (isBroken) throw new Error('disk full');
        written.set(callId, [...(written.get(callId) ?? []), ...messages]);
      },
      list: (callId) => written.get(callId) ?? [],
    },
  });
  const observe = (callId: string, entry: NewEntry, record: Partial<CallRecord> = {}) =>
    traces.observe({ seq: 1, atMs: 0, ...entry } as JournalEntry, recordOf(callId, record));
  return {
    ...{ clock, traces, errors, observe },
    breakStore: () => {
      isBroken = true;
    },
    /** The first lines of what is written. */
    kept: (callId: string) => (written.get(callId) ?? []).map(({ text }) => text.split('\r\n')[0]!),
    begin(callId: string, leg = `leg of ${callId}`, sipCallId = `sip of ${callId}`) {
      traces.message(passing(sipCallId, inviteText(sipCallId)));
      traces.associate(sipCallId, leg);
      observe(callId, { kind: 'started', leg } as NewEntry);
    },
    legEnds(callId: string, sip: Partial<LegSip>, more: Partial<Extract<LegEvent, { type: 'ended' }>> = {}) {
      const event: LegEvent = { type: 'ended', cause: causeOf(16), by: 'far', sip: { callId: 's', ...sip }, ...more };
      observe(callId, { kind: 'in', input: { type: 'leg', event } });
    },
    end: (callId: string, record: Partial<CallRecord> = {}) =>
      observe(callId, { kind: 'ended', reason: 'hangup' }, { state: 'disconnected', ...record }),
  };
}

const INVITE = 'INVITE sip:100@192.0.2.1 SIP/2.0';

it.each<[string, Partial<LegSip>, Partial<Extract<LegEvent, { type: 'ended' }>>, boolean]>([
  ['was answered and hung up', { status: 200 }, {}, false],
  ['was cancelled', { status: 487 }, {}, false],
  ['was refused', { status: 488 }, {}, true],
  [
    'was refused by a gateway, and taken by the next',
    { status: 200, attempts: [{ callId: 'x', status: 503 }] },
    {},
    true,
  ],
  ['lost its far end', { status: 200 }, { by: 'network' }, true],
  ['ended by a fault of the network', { status: 200 }, { cause: causeOf(41) }, true],
])('with `failed`: keeps a call that %s: %s', async (_what, sip, more, isKept) => {
  const { begin, legEnds, end, clock, kept, traces } = open();
  begin('one');
  legEnds('one', sip, more);
  end('one');
  await clock.advance(2_000);
  expect(kept('one')).toEqual(isKept ? [INVITE] : []);
  await clock.advance(60_000);
  expect(traces.size).toEqual({ dialogs: 0, calls: 0, bytes: 0 });
});

it('keeps a call that failed as a whole: with its other legs, and what comes after its end', async () => {
  const { begin, legEnds, end, clock, kept, traces, observe } = open();
  begin('one');
  observe('one', { kind: 'dialled', leg: 'party', from: '1', to: '2', visit: 1 });
  traces.associate('party-id', 'party');
  traces.message(passing('party-id', inviteText('party-id'), { direction: 'sent' }));
  traces.message(passing('party-id', responseText('party-id', '486 Busy Here')));
  legEnds('one', { status: 486 });
  end('one');
  expect(traces.list('one')).toHaveLength(3);
  await clock.advance(1_500);
  expect(kept('one')).toEqual([INVITE, INVITE, 'SIP/2.0 486 Busy Here']);
  traces.message(passing('sip of one', responseText('sip of one', '200 OK', 'BYE')));
  expect(traces.list('one').map(({ text }) => text.slice(0, 11))).toContain('SIP/2.0 200');
  await clock.advance(60_000);
  expect(kept('one').at(-1)).toBe('SIP/2.0 200 OK');
  expect(kept('one')).toHaveLength(4);
});

it('with `all`: keeps every call, masked', async () => {
  const { begin, legEnds, end, clock, traces } = open('all');
  begin('one');
  const secret = 'Authorization: Digest username="a", response="0123456789abcdef"';
  traces.message(passing('sip of one', inviteText('sip of one', [secret])));
  legEnds('one', { status: 200 });
  const whileLive = traces.list('one');
  end('one');
  await clock.advance(2_000);
  expect(traces.list('one')).toEqual(whileLive);
  expect(whileLive[1]!.text).toContain('response="***"');
});

it('ignores registrations, OPTIONS and unknown calls', () => {
  const { traces } = open('all');
  for (const method of ['REGISTER', 'OPTIONS', 'BYE']) {
    traces.message(passing(`${method}-1`, sipText([`${method} sip:x SIP/2.0`, `Call-ID: ${method}-1`])));
  }
  traces.message(passing('x', responseText('x', '200 OK')));
  expect(traces.size).toEqual({ dialogs: 0, calls: 0, bytes: 0 });
});

it('keeps the first messages of a long dialog and the last, within its bounds', async () => {
  const { begin, end, clock, kept, traces } = open('all', { messages: 30 });
  begin('one');
  for (let n = 0; n < 500; n++) traces.message(passing('sip of one', sipText([`INFO sip:${n} SIP/2.0`])));
  end('one');
  await clock.advance(2_000);
  const lines = kept('one');
  expect(lines).toHaveLength(30);
  expect(lines.slice(0, 3)).toEqual([INVITE, 'INFO sip:0 SIP/2.0', 'INFO sip:1 SIP/2.0']);
  expect(lines.at(-1)).toBe('INFO sip:499 SIP/2.0');
});

it('stays within its memory in a flood of calls, and of INVITEs that become none', async () => {
  const limits = { bytes: 2_000, totalBytes: 50_000, strays: 20 };
  const { begin, end, traces, clock } = open('failed', limits);
  for (let n = 0; n < 5_000; n++) {
    traces.message(passing(`stray ${n}`, inviteText(`stray ${n}`, [`X: ${'x'.repeat(n)}`])));
    if (n % 10 === 0) traces.associate(`stray ${n}`, `rejected leg ${n}`);
  }
  expect(traces.size.dialogs).toBeLessThanOrEqual(20);
  for (let n = 0; n < 1_000; n++) begin(`call ${n}`);
  expect(traces.size.bytes).toBeLessThanOrEqual(50_000);
  for (let n = 0; n < 1_000; n++) end(`call ${n}`);
  await clock.advance(60_000);
  expect(traces.size).toMatchObject({ calls: 0 });
  expect(traces.size.dialogs).toBeLessThanOrEqual(20);
});

it('drops parties of a long call, the first ones first, and never the caller', async () => {
  const { begin, end, clock, traces, observe, kept } = open('all', { legs: 3 });
  begin('one');
  for (let n = 0; n < 10; n++) {
    traces.associate(`party ${n}`, `leg ${n}`);
    observe('one', { kind: 'dialled', leg: `leg ${n}`, from: '1', to: '2', visit: 1 });
    traces.message(passing(`party ${n}`, sipText([`INVITE sip:${n} SIP/2.0`])));
  }
  end('one');
  await clock.advance(2_000);
  expect(kept('one')).toEqual([INVITE, 'INVITE sip:8 SIP/2.0', 'INVITE sip:9 SIP/2.0']);
  await clock.advance(60_000);
  expect(traces.size).toEqual({ dialogs: 0, calls: 0, bytes: 0 });
});

it('asks for our own address for messages that it keeps, and for no others', () => {
  const { begin, traces } = open();
  let asked = 0;
  const local = () => {
    asked += 1;
    return LOCAL;
  };
  for (const method of ['REGISTER', 'OPTIONS', 'BYE']) {
    traces.message(passing(`sip of ${method}`, sipText([`${method} sip:100@192.0.2.1 SIP/2.0`]), { local }));
  }
  expect(asked).toBe(0);
  begin('one');
  traces.message(passing('sip of one', responseText('sip of one', '200 OK'), { local }));
  expect(asked).toBe(1);
});

it('writes what waits when the service stops, and survives a store that does not write', async () => {
  const { begin, end, kept, traces, breakStore, errors } = open('all');
  begin('one');
  end('one');
  await traces.close();
  expect(kept('one')).toEqual([INVITE]);
  begin('two');
  end('two');
  breakStore();
  await traces.close();
  expect(errors).toHaveLength(1);
  expect(traces.size).toEqual({ dialogs: 0, calls: 0, bytes: 0 });
});
