/** State of the room page from messages of the service, and its texts. */
import { describe, expect, it } from 'vitest';
import type { Participant, ServerMessage, Welcome } from '../../client/room-client.js';
import { announcementsOf } from '../../src/pages/room-page/web/announcements.ts';
import { OwnMutes } from '../../src/pages/room-page/web/own-mutes.ts';
import { begin, reduce, type SessionState } from '../../src/pages/room-page/web/room-state.ts';

const person = (id: string, more: Partial<Participant> = {}): Participant => ({
  ...{ id, name: id, role: 'participant', phone: false, away: false, hand: false, floor: false },
  ...{ muted: [], hard_muted: [], published: ['audio', 'video'], poor_link: false },
  ...more,
});

const welcome = (more: Partial<Welcome> = {}): Welcome => ({
  ...{
    type: 'welcome',
    id: 'me',
    resume_key: 'k',
    role: 'participant',
    recording: false,
    captions: false,
    talking: [],
    ice_servers: [],
  },
  permissions: { publish: true, subscribe: true, record: false, stats: false, controlhandlers: false },
  room: { room_id: 'r', name: 'Room', conf_num: 'c', settings: { mode: 'group', screen_share: true } },
  participants: [person('ada'), person('ben')],
  ...more,
});

const following = (state: SessionState, ...messages: ServerMessage[]): SessionState => messages.reduce(reduce, state);

describe('the state of a session', () => {
  it('begins with the participants and the active speakers', () => {
    const state = begin(welcome({ talking: ['ben'], recording: true }), 'Me');
    expect([...state.people.keys()]).toEqual(['me', 'ada', 'ben']);
    expect(state.people.get('me')).toEqual(person('me', { name: 'Me', published: [] }));
    expect([state.talking, state.talkedLast, state.isRecording]).toEqual([['ben'], ['ben'], true]);
  });

  it('keeps people in the order in which they came, whatever changes about them', () => {
    const state = following(
      begin(welcome(), 'Me'),
      { type: 'joined', participant: person('cleo') },
      { type: 'changed', participant: person('ada', { hand: true }) },
      { type: 'left', id: 'ben', reason: 'left' },
    );
    expect([...state.people.keys()]).toEqual(['me', 'ada', 'cleo']);
    expect(state.people.get('ada')?.hand).toBe(true);
  });

  it('follows the spotlight, and keeps the description of the room', () => {
    const settings = { mode: 'group', description: 'For all' };
    const room = { room_id: 'r', name: 'Room', conf_num: 'c', settings };
    const state = begin(welcome({ spotlight: 'ada', room }), 'Me');
    expect([state.spotlight, state.room.description]).toEqual(['ada', 'For all']);
    const changed = (participant?: string) =>
      reduce(state, { type: 'spotlight', ...(participant === undefined ? {} : { participant }) }).spotlight;
    expect([changed('ben'), changed()]).toEqual(['ben', undefined]);
    const words = announcementsOf(state, { type: 'spotlight', participant: 'me' });
    expect(words).toEqual([{ text: 'A moderator shows you large to all.', how: 'shown' }]);
  });

  it('remembers the other participant who spoke last', () => {
    const state = following(
      begin(welcome(), 'Me'),
      { type: 'talking', participants: ['ada'] },
      { type: 'talking', participants: ['ben', 'me'] },
      { type: 'talking', participants: [] },
    );
    expect([state.talking, state.talkedLast]).toEqual([[], ['ben', 'ada']]);
    expect(following(state, { type: 'left', id: 'ben', reason: 'lost' }).talkedLast).toEqual(['ada']);
  });

  it('keeps what was written over a new link, and at most 500 lines of it', () => {
    const line = (text: string): ServerMessage => ({
      type: 'chat',
      from: 'ada',
      name: 'Ada',
      text,
      at: 1,
      private: false,
    });
    let state = begin(welcome(), 'Me');
    for (let index = 0; index < 600; index++) state = reduce(state, line(String(index)));
    const again = begin(
      welcome({ participants: [] }),
      'Me',
      following(state, { type: 'changed', participant: person('me') }),
    );
    expect(again.chat).toHaveLength(500);
    expect(again.chat.at(-1)?.text).toBe('599');
    expect(new Set(again.chat.map(({ key }) => key)).size).toBe(500);
    expect([...again.people.keys()]).toEqual(['me']);
  });
});

describe('text of a message', () => {
  const state = following(begin(welcome(), 'Me'), { type: 'changed', participant: person('me') });

  it.each<[string, ServerMessage, string[]]>([
    ['somebody came', { type: 'joined', participant: person('cleo') }, ['spoken: cleo joined']],
    ['somebody went', { type: 'left', id: 'ada', reason: 'left' }, ['spoken: ada left']],
    ['somebody was removed', { type: 'left', id: 'ada', reason: 'dropped' }, ['spoken: ada was removed']],
    ['a hand', { type: 'changed', participant: person('ada', { hand: true }) }, ['spoken: ada raised a hand']],
    [
      'a screen',
      { type: 'changed', participant: person('ada', { published: ['audio', 'video', 'screen'] }) },
      ['spoken: ada shares a screen'],
    ],
    ['nothing new', { type: 'changed', participant: person('ada') }, []],
    [
      'a lock',
      { type: 'changed', participant: person('me', { muted: ['audio'], hard_muted: ['audio'] }) },
      ['urgent: A moderator switched off your microphone.'],
    ],
    ['one’s own mute', { type: 'changed', participant: person('me', { muted: ['audio'] }) }, []],
    ['a recording', { type: 'recording', on: true }, ['urgent: This session is now being recorded.']],
    [
      'a message',
      { type: 'chat', from: 'ada', name: 'Ada', text: 'Hi', at: 1, private: true },
      ['spoken: Ada wrote to you: Hi'],
    ],
    ['one’s own message', { type: 'chat', from: 'me', name: 'Me', text: 'Hi', at: 1, private: false }, []],
    ['a refusal', { type: 'error', code: 'not_allowed' }, ['shown: That is not allowed here.']],
  ])('announces a message: %s', (_, message, said) => {
    expect(announcementsOf(state, message).map(({ how, text }) => `${how}: ${text}`)).toEqual(said);
  });

  it('moderators also see hands, and hear of each who knocks once', () => {
    const host = begin(welcome({ role: 'moderator' }), 'Me');
    const hand = announcementsOf(host, { type: 'changed', participant: person('ada', { hand: true }) });
    expect(hand).toEqual([{ how: 'shown', text: 'ada raised a hand' }]);
    const knocking = (...ids: string[]): ServerMessage => ({
      type: 'knocking',
      participants: ids.map((id) => ({ id, name: id, role: 'participant' })),
    });
    const later = reduce(host, knocking('dan'));
    expect(announcementsOf(later, knocking('dan', 'eve'))).toEqual([{ how: 'spoken', text: 'eve asks to come in' }]);
  });
});

describe('mutes', () => {
  it('are one’s own if they were requested, also several in a row', () => {
    const mutes = new OwnMutes();
    expect([mutes.ask('audio', true), mutes.ask('audio', true), mutes.ask('audio', false)]).toEqual([
      true,
      false,
      true,
    ]);
    expect([mutes.report('audio', true), mutes.report('audio', false)]).toEqual([undefined, undefined]);
  });

  it('are those of a moderator if they were not requested', () => {
    const mutes = new OwnMutes();
    expect([mutes.report('audio', false), mutes.report('audio', true), mutes.report('audio', true)]).toEqual([
      undefined,
      'muted',
      undefined,
    ]);
    expect(mutes.report('audio', false)).toBe('unmuted');
  });

  it('does not apply refused mutes', () => {
    const mutes = new OwnMutes();
    mutes.report('audio', true);
    mutes.ask('audio', false);
    mutes.forget();
    expect(mutes.report('audio', false)).toBe('unmuted');
  });
});
