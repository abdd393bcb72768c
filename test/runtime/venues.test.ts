/** CallVenues where calls meet: entered for a visit, heard while it lasts, and left with it. */
import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/base/core/json.ts';
import type { StepEvent } from '../../src/language/steps/step.ts';
import type { VenueMember } from '../../src/service/runtime/venue.ts';
import { forever, kinds, type Program, scripted, until } from './scripted-steps.ts';

function paperVenues() {
  const members: VenueMember[] = [];
  const asked: string[] = [];
  const venue = (kind: string) => ({
    enter: (member: VenueMember) => {
      members.push(member);
      asked.push(`${kind} enter ${member.name}`);
    },
    tell: (memberId: string, name: string, data: Json) => {
      asked.push(`${kind} tell ${memberId} ${name} ${JSON.stringify(data)}`);
    },
    exit: (memberId: string) => {
      asked.push(`${kind} exit ${memberId}`);
    },
  });
  const venues = { conference: venue('conference'), queue: venue('queue'), room: venue('room') };
  return { members, asked, ports: { venues } };
}

describe('a venue', () => {
  it('is entered after the commit, exchanges events and commands, and is left once', async () => {
    const { members, asked, ports } = paperVenues();
    const seen: StepEvent[] = [];
    const call = await scripted(
      {
        async *first({ enterVenue, sendToVenue, exitVenue }) {
          const memberId = enterVenue('conference', 'standup', { muted: true });
          seen.push(yield {});
          sendToVenue(memberId, 'mute', true);
          sendToVenue('another', 'mute', true);
          yield* until((event) => (event.type === 'digit' ? true : undefined), { digits: { claims: '1' } });
          exitVenue(memberId);
          exitVenue(memberId);
          return yield* forever(seen);
        },
        second: async function* () {
          return yield* forever();
        },
      },
      { ports },
    );
    expect(members[0]).toMatchObject({
      memberId: 'ticket-1',
      callId: 'call-1',
      projectId: 'project-1',
      from: '+33612345678',
      to: '1000',
      name: 'standup',
      options: { muted: true },
    });
    members[0]!.emit('joined', { mix_id: 'm1' });
    await call.press('1');
    members[0]!.emit('ended', null);
    await call.command({ type: 'event', name: 'go', data: null });
    expect(seen).toEqual([{ type: 'venue', memberId: 'ticket-1', name: 'joined', data: { mix_id: 'm1' } }]);
    expect(asked).toEqual([
      'conference enter standup',
      'conference tell ticket-1 mute true',
      'conference exit ticket-1',
    ]);
    expect(kinds(call, 'venue').map(({ event, venue, name, data }) => [event, venue, name, data])).toEqual([
      ['entered', 'conference', 'standup', {}],
      ['joined', 'conference', 'standup', { mix_id: 'm1' }],
      ['left', 'conference', 'standup', {}],
    ]);
  });

  it('is left with its step run, however that ends, and its later events are dropped', async () => {
    const stays: Program = async function* ({ enterVenue }) {
      enterVenue('queue', 'sales', {});
      enterVenue('room', '7', {});
      return yield* forever();
    };
    for (const end of ['hang-up', 'interrupt'] as const) {
      const { members, asked, ports } = paperVenues();
      const seen: StepEvent[] = [];
      const call = await scripted(
        {
          first: stays,
          async *second() {
            return yield* forever(seen);
          },
        },
        { ports },
      );
      if (end === 'hang-up') await call.hangUp();
      else await call.command({ type: 'event', name: 'go', data: null });
      expect(asked.slice(2)).toEqual(['queue exit ticket-1', 'room exit ticket-2']);
      members[0]!.emit('turn', {});
      await call.clock.settle();
      expect(seen).toEqual([]);
      expect(kinds(call, 'venue').filter(({ event }) => event === 'turn')).toEqual([]);
    }
  });
});
