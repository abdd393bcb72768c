import { expect, it } from 'vitest';
import { inWords, type RoomEntry } from '../../../src/pages/studio/web/rooms/room-journal.ts';

const ada = { call_num: 'a', name: 'Ada' };

const said: readonly [Partial<RoomEntry>, string][] = [
  [{ type: 'active' }, 'The session began'],
  [{ type: 'joined', ...ada, role: 'moderator' }, 'Ada came in (moderator)'],
  [{ type: 'joined', name: '+33…01', role: 'participant', sip: true }, '+33…01 came in (participant, telephone)'],
  [{ type: 'left', ...ada, reason: 'lost' }, 'Ada lost the link and did not come back'],
  [{ type: 'recording', by: 'a', on: true }, 'Ada: recording began'],
  [{ type: 'recording', on: false }, 'recording ended'],
  [
    { type: 'connection', ...ada, direction: 'receive', state: 'renewed' },
    'The connection for what Ada receives was renewed',
  ],
  [{ type: 'connection', ...ada, direction: 'send', state: 'failed' }, 'No connection comes up for what Ada sends'],
  [{ type: 'moderated', by: 'administrator', command: 'admit', name: 'Ben' }, 'An administrator let Ben in'],
  [
    { type: 'moderated', by: 'a', command: 'mute_all', source: 'mic', muted: true, hard: true },
    'Ada muted the mic of all, who cannot unmute themselves',
  ],
  [{ type: 'over', reason: 'crash' }, 'The session was cut off: the service died'],
  [{ type: 'of_a_later_version' }, 'of a later version'],
];

it.each(said)('says %o in words', (entry, words) => {
  const journal = [{ type: 'joined', ...ada, role: 'participant' }, entry] as RoomEntry[];
  expect(inWords(journal).at(-1)?.words).toBe(words);
});

it('leaves out an order to record, which has an entry of its own', () => {
  expect(inWords([{ type: 'moderated', command: 'record', conf_num: '1', at: '' }])).toEqual([]);
});
