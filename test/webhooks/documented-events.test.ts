/** docs/webhooks.md describes every event that is sent, with every field: API rigs compare all that they receive. */
import { describe, expect, it } from 'vitest';
import { VENUE_EVENTS, VENUE_FIELDS, venueEvent } from '../../src/service/observers/webhooks/activity-events.ts';
import { undocumentedIn } from './documented-events.ts';

const COMMON = { voice_id: 'c', from: '1', to: '2', timestamp: 'now' };

describe('docs/webhooks.md', () => {
  it.each(Object.entries(VENUE_EVENTS).flatMap(([venue, events]) => events.map((event) => [venue, event])))(
    'documents the event %s %s',
    (venue, event) => {
      const data = { room_id: 'r', conference_id: 'r', queue: 'r' };
      const sent = venueEvent({ venue, name: 'r', event, data } as never);
      expect(undocumentedIn({ ...COMMON, ...sent })).toBeUndefined();
    },
  );

  it.each(VENUE_FIELDS)('documents the field %s of conferences, queues or rooms', (field) => {
    const states = [
      'conference_joined',
      'conference_muted',
      'queue_position',
      'queue_turn',
      'queue_callback',
      'room_denied',
    ];
    expect(states.map((state) => undocumentedIn({ ...COMMON, state, [field]: 1 }))).toContain(undefined);
  });

  it.each([
    ['an event', { ...COMMON, state: 'levitating' }],
    ['a field', { ...COMMON, state: 'ringing', mood: 'good' }],
    ['an event of rooms', { type: 'room-tidied', room_id: 'r' }],
    ['a field of rooms', { type: 'room-drop', mood: 'good' }],
    ['a field of somebody in a room', { type: 'user-connected', user: { name: 'Ann', mood: 'good' } }],
  ])('is reported to lack %s', (_, event) => {
    expect(undocumentedIn(event)).toContain('docs/webhooks.md has no row');
  });
});
