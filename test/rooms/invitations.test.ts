/** Links that moderators create in the room. */
import { describe, expect, it } from 'vitest';
import type { UsedTokens } from '../../src/base/core/single-use-tokens.ts';
import { roomRig, type TestClient } from './room-fixtures.ts';

const MINUTE_MS = 60_000;

const errorsOf = (client: TestClient) => client.of('error').map(({ code }) => code);
const invite = (by: TestClient, name = 'Eve', role = 'participant') => by.say({ type: 'invite', role, name });

describe('an invitation', () => {
  it('admits one person once, within 15 minutes, like a token of the API', async () => {
    const rig = roomRig();
    const room = rig.room({ invitations: ['participant', 'viewer'] });
    const ada = rig.join(room, 'moderator', 'Ada');
    invite(ada, ' Eve ');
    const { id, name, token, expires_at: expiresMs } = ada.last('invitation')!;
    expect([name, expiresMs - rig.clock.now()]).toEqual(['Eve', 15 * MINUTE_MS]);
    const eve = rig.client().say({ type: 'join', token });
    expect(eve.last('welcome')).toMatchObject({ role: 'participant' });
    expect(rig.sessions.find('shop', room.roomId)!.find(eve.id)).toMatchObject({ name: 'Eve', userRef: id });
    expect(errorsOf(rig.client().say({ type: 'join', token }))).toEqual(['token_used']);
    invite(ada, 'Vera', 'viewer');
    await rig.clock.advance(15 * MINUTE_MS);
    const late = rig.client().say({ type: 'join', token: ada.last('invitation')!.token });
    expect(errorsOf(late)).toEqual(['token_expired']);
    expect(rig.told.filter(({ type }) => type === 'invited')).toHaveLength(2);
  });

  it('is refused by default, for other roles than the room allows, and to participants', () => {
    const rig = roomRig();
    const closed = rig.join(rig.room(), 'moderator');
    invite(closed);
    const room = rig.room({ invitations: ['viewer'] });
    const [ada, ben] = [rig.join(room, 'moderator'), rig.join(room, 'participant')];
    invite(ada, 'Eve', 'moderator');
    invite(ada, 'Eve', 'participant');
    invite(ben, 'Eve', 'viewer');
    ben.say({ type: 'revoke_invitation', invitation: 'x' });
    expect([closed, ada, ben].map(errorsOf)).toEqual([
      ['not_allowed'],
      ['not_allowed', 'not_allowed'],
      ['not_allowed', 'not_allowed'],
    ]);
    invite(ada, 'Vera', 'viewer');
    expect([ada.of('invitation').length, ben.of('invitation').length]).toEqual([1, 0]);
  });

  it('is refused while the room is full, and for an audience that the room does not have', () => {
    const rig = roomRig();
    const ada = rig.join(rig.room({ invitations: ['participant', 'audience'], participants: 1 }), 'moderator');
    invite(ada);
    invite(ada, 'Eve', 'audience');
    expect(errorsOf(ada)).toEqual(['not_available', 'not_available']);
  });

  it.each([
    ['an empty name', { role: 'participant', name: ' ' }],
    ['a long name', { role: 'participant', name: 'x'.repeat(201) }],
    ['an unknown role', { role: 'owner', name: 'Eve' }],
  ])('is not created with %s', (_, more) => {
    const rig = roomRig();
    const ada = rig.join(rig.room({ invitations: ['participant'] }), 'moderator');
    ada.say({ type: 'invite', ...more });
    expect(errorsOf(ada)).toEqual(['bad_message']);
  });

  it('is limited to twenty at once and one in ten seconds, for all moderators together', async () => {
    const rig = roomRig();
    const room = rig.room({ invitations: ['participant'] });
    const [ada, cleo] = [rig.join(room, 'moderator'), rig.join(room, 'moderator')];
    for (let count = 0; count < 21; count++) invite(ada);
    invite(cleo);
    expect([errorsOf(ada), errorsOf(cleo)]).toEqual([['too_many_invitations'], ['too_many_invitations']]);
    await rig.clock.advance(10_000);
    invite(cleo);
    invite(cleo);
    expect([cleo.of('invitation').length, errorsOf(cleo).length]).toEqual([1, 2]);
  });

  it('is withdrawn by any moderator, unless it was used', () => {
    const rig = roomRig();
    const room = rig.room({ invitations: ['participant'] });
    const [ada, cleo] = [rig.join(room, 'moderator'), rig.join(room, 'moderator')];
    invite(ada);
    const { id, token } = ada.last('invitation')!;
    cleo.say({ type: 'revoke_invitation', invitation: id });
    expect(cleo.last('invitation_over')).toEqual({ type: 'invitation_over', id, state: 'revoked' });
    expect(errorsOf(rig.client().say({ type: 'join', token }))).toEqual(['token_used']);
    ada.say({ type: 'revoke_invitation', invitation: id });
    expect(errorsOf(ada)).toEqual(['not_available']);
    invite(ada);
    const used = ada.last('invitation')!;
    rig.client().say({ type: 'join', token: used.token });
    ada.say({ type: 'revoke_invitation', invitation: used.id });
    expect(ada.last('invitation_over')).toMatchObject({ id: used.id, state: 'used' });
    expect(rig.told.filter(({ type }) => type === 'invitation_revoked')).toHaveLength(1);
  });

  it('stays valid if the store cannot tell whether it was used', () => {
    const usedTokens: UsedTokens = {
      use: (_, done) => done(isUp ? true : undefined),
      isUsed: (_, done) => done(false),
    };
    let isUp = true;
    const rig = roomRig({ usedTokens });
    const ada = rig.join(rig.room({ invitations: ['participant'] }), 'moderator');
    invite(ada);
    const { id } = ada.last('invitation')!;
    isUp = false;
    ada.say({ type: 'revoke_invitation', invitation: id });
    expect([errorsOf(ada), ada.last('invitation_over')]).toEqual([['not_available'], undefined]);
    isUp = true;
    ada.say({ type: 'revoke_invitation', invitation: id });
    expect(ada.last('invitation_over')).toMatchObject({ id, state: 'revoked' });
  });
});
