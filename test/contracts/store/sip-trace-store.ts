/** The contract of `SipTraceStore`. */
import { describe, expect, it } from 'vitest';
import type { CapturedSip } from '../../../src/base/core/sip-capture.ts';
import type { Store } from '../../../src/service/store/store.ts';
import { recordOf, T0, writeOf } from './call-fixtures.ts';
import { type MakeStoreHarness, openForEach } from './each-store.ts';

const message = (text: string): CapturedSip => ({
  ...{ atMs: T0, direction: 'sent', transport: 'udp', text },
  ...{ local: { host: '192.0.2.1', port: 5060 }, remote: { host: '192.0.2.2', port: 5060 } },
});

export function runSipTraceStoreContract(make: MakeStoreHarness): void {
  describe('SIP trace store contract', () => {
    let store: Store;
    const reopen = openForEach(make, (opened) => {
      store = opened;
    });
    const texts = (callId: string) => store.sipTraces.list(callId).map(({ text }) => text);

    it('keeps the messages of a call in the order in which they were added, byte for byte', async ({ skip }) => {
      await store.calls.commit(writeOf('one', [1]));
      await store.calls.commit(writeOf('two', [1]));
      await store.sipTraces.append('one', [message('a\r\n\x00\xff'), message('b')]);
      await store.sipTraces.append('two', [message('x')]);
      await store.sipTraces.append('one', [message('c')]);
      await reopen(skip);
      expect(store.sipTraces.list('one')[0]).toEqual(message('a\r\n\x00\xff'));
      expect(texts('one')).toEqual(['a\r\n\x00\xff', 'b', 'c']);
      expect(texts('two')).toEqual(['x']);
    });

    it('keeps nothing for a call that is not there', async () => {
      await store.sipTraces.append('gone', [message('a')]);
      expect(texts('gone')).toEqual([]);
    });

    it('forgets them with their call, by age and when it is deleted', async () => {
      for (const callId of ['old', 'deleted', 'kept']) {
        const endedMs = callId === 'old' ? T0 : T0 + 10;
        await store.calls.commit(writeOf(callId, [1], { record: { ...recordOf(callId), endedMs } }));
        await store.sipTraces.append(callId, [message(callId)]);
      }
      await store.prune({ callsEndedBeforeMs: T0 + 5, deadBeforeMs: 0 });
      await store.people.deleteCalls([(await store.calls.call('deleted'))!]);
      expect(['old', 'deleted', 'kept'].flatMap(texts)).toEqual(['kept']);
    });
  });
}
