/** Decisions of calls, as the store benchmarks write them. */
import { randomIds } from '../src/base/core/ids.ts';
import type { CallWrite } from '../src/service/runtime/call-store.ts';
import type { JournalEntry } from '../src/service/runtime/journal.ts';
import { deliveryOf, recordOf } from '../test/contracts/store/call-fixtures.ts';

function entriesOf(visit: number): JournalEntry[] {
  const at = (n: number) => ({ seq: visit * 5 + n, atMs: Date.now() });
  return [
    { ...at(1), kind: 'in', input: { type: 'leg', event: { type: 'digit', digit: '4', durationMs: 100 } } },
    { ...at(2), kind: 'left', step: 'main_menu', verb: 'menu', visit, outcome: 'billing', result: { digits: '4' } },
    { ...at(3), kind: 'vars', set: { department: 'billing', attempts: visit } },
    {
      ...at(4),
      kind: 'entered',
      step: 'ask_account',
      verb: 'collect',
      visit: visit + 1,
      depth: 0,
      flow: 'support-line',
    },
    {
      ...at(5),
      kind: 'command',
      visit: visit + 1,
      command: { type: 'play', playId: `play-${visit}`, audio: [{ type: 'file', file: 'prompts/enter_account.wav' }] },
    },
  ];
}

/** Decisions of many calls, interleaved as in a busy service. */
export function decisionsOf(run: string, { commits, calls }: { commits: number; calls: number }): CallWrite[] {
  const callIds = Array.from({ length: calls }, () => randomIds.next('call'));
  return Array.from({ length: commits }, (_, n) => {
    const callId = callIds[n % calls]!;
    const visit = Math.floor(n / calls);
    return {
      record: recordOf(callId, { eventUrl: 'https://app.example/events', ownerRef: `order ${n}` }),
      checkpoint: {
        frames: [
          { flow: 'support-line', flowHash: 'f'.repeat(64), at: 'ask_account', vars: { department: 'billing' } },
        ],
        visit,
      },
      entries: entriesOf(visit),
      owner: 'life-1',
      fence: 1,
      deliveries: n % 3 === 0 ? [deliveryOf(`${run}-${n}`, callId)] : [],
    };
  });
}
