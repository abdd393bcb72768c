/** Connections that are not established, and answers that arrive too late. */
import { describe, expect, it } from 'vitest';
import { VOICE } from '../peers/people.ts';
import { virtualRoom } from './virtual-room.ts';

const SECOND = 1000;

function entered() {
  const room = virtualRoom();
  room.enter('ada');
  const ben = room.enter('ben');
  room.send({ type: 'set_audible', participants: ['ada', 'ben'] });
  return {
    ...{ ...room, ben },
    said: (type: string) =>
      room.events.flatMap((event) =>
        event.type === 'negotiate' && event.message.type === type ? [event.participant] : [],
      ),
    states: (participant: string) =>
      room.events.flatMap((event) =>
        event.type === 'connection' && event.participant === participant ? [`${event.direction} ${event.state}`] : [],
      ),
  };
}

describe('participant', () => {
  it('is offered further receiving connections, and gets audio once one is established', async () => {
    const { publish, clock, blocked, said, states, ben } = entered();
    blocked.add('ben views');
    await publish('ada', { audio: VOICE });
    await clock.advance(16 * SECOND);
    expect(said('sub.offer')).toEqual(['ben', 'ben', 'ben', 'ben']);
    expect(states('ben')).toEqual(['receive renewed', 'receive renewed', 'receive failed']);
    expect(states('ada')).toEqual(['send up']);
    blocked.clear();
    await clock.advance(30 * SECOND);
    expect(states('ben').at(-1)).toBe('receive up');
    const fromMs = clock.monotonicMs();
    await clock.advance(SECOND);
    expect(ben.since(fromMs, 'ada', 'audio').length).toBeGreaterThan(40);
  });

  it('is asked for another sending connection if the first is not established', async () => {
    const { publish, clock, blocked, said, states } = entered();
    blocked.add('ada publishes');
    await publish('ada', { audio: VOICE });
    await clock.advance(4 * SECOND);
    expect(said('pub.restart')).toEqual([]);
    await clock.advance(2 * SECOND);
    expect(said('pub.restart')).toEqual(['ada']);
    blocked.clear();
    await publish('ada', { audio: VOICE });
    await clock.advance(30 * SECOND);
    expect(said('pub.restart')).toEqual(['ada']);
    expect(states('ada')).toEqual(['send renewed', 'send up']);
  });

  it('gets another connection at once if it fails during setup', async () => {
    const { publish, clock, blocked, fail, states, said } = entered();
    blocked.add('ben views');
    await publish('ada', { audio: VOICE });
    await clock.advance(100);
    blocked.clear();
    fail('ben views');
    await clock.advance(100);
    expect(states('ben')).toEqual(['receive renewed', 'receive up']);
    expect(said('sub.offer')).toEqual(['ben', 'ben']);
  });

  it('is not asked for a connection without permission to send', async () => {
    const { publish, clock, send, fail, said } = entered();
    await publish('ada', { audio: VOICE });
    send({ type: 'grant', participant: 'ada', grants: { publish: [], subscribe: true } });
    fail('ada publishes');
    await clock.advance(60 * SECOND);
    expect(said('pub.restart')).toEqual([]);
  });

  it('is not connected by an answer to an offer from before its readmission', async () => {
    const { publish, clock, send, events, silent, answered, engine } = entered();
    silent.add('ben');
    await publish('ada', { audio: VOICE });
    // As after the end of an engine: the answer was in flight.
    engine.onMessage({ type: 'open', spec: { confNum: '1', quality: 'HD' } });
    for (const participant of ['ben', 'ada']) {
      const grants = { publish: ['audio'], subscribe: true } as const;
      send({ type: 'admit', participant, isPhone: false, grants });
    }
    await publish('ada', { audio: VOICE });
    const versions = events.flatMap((event) =>
      event.type === 'negotiate' && event.message.type === 'sub.offer' ? [event.message.version] : [],
    );
    const wasAnswered: boolean[] = [];
    for (const version of versions) {
      send({ type: 'negotiate', participant: 'ben', message: { type: 'sub.answer', version, sdp: 'any' } });
      await clock.advance(10);
      wasAnswered.push(answered.includes('ben views'));
    }
    expect(wasAnswered).toEqual([false, true]);
  });
});
