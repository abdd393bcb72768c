/** Clients whose token another node may have used: messages and state during the check. */
import { describe, expect, it } from 'vitest';
import type { UsedTokens } from '../../src/base/core/single-use-tokens.ts';
import { roomRig } from './room-fixtures.ts';

/** Token store that answers each request on command of the test. */
function lateTokens() {
  const questions: ((answer: boolean | undefined) => void)[] = [];
  const used: UsedTokens = {
    use: (_, done) => void questions.push(done),
    isUsed: (_, done) => void questions.push(done),
  };
  return { used, questions, answer: (answer: boolean | undefined) => questions.shift()!(answer) };
}

function lateRig() {
  const tokens = lateTokens();
  const rig = roomRig({ usedTokens: tokens.used });
  return { ...rig, ...tokens, token: rig.token, daily: rig.room() };
}

describe('a client whose token is being checked', () => {
  it('is admitted after the check, and its messages are handled in order', () => {
    const rig = lateRig();
    const ada = rig.client().say({ type: 'join', token: rig.token(rig.daily) });
    ada.say({ type: 'ping' }).say({ type: 'chat', text: 'hello' });
    expect(ada.types).toEqual([]);
    rig.answer(true);
    expect(ada.types).toEqual(['welcome', 'pong', 'chat']);
  });

  it('is refused as unchecked if the use of the token cannot be determined', () => {
    const rig = lateRig();
    const token = rig.token(rig.daily);
    for (const type of ['join', 'look']) {
      const ada = rig.client().say({ type, token });
      rig.answer(undefined);
      expect([ada.received, ada.isClosed]).toEqual([[{ type: 'error', code: 'token_unchecked' }], true]);
    }
    expect(rig.sessions.count).toBe(0);
  });

  it('is not admitted if its link broke meanwhile', () => {
    const rig = lateRig();
    const ada = rig.client().say({ type: 'join', token: rig.token(rig.daily) });
    ada.break();
    rig.answer(true);
    expect([ada.types, rig.sessions.count]).toEqual([[], 0]);
  });

  it('joins once, however often it asks', () => {
    const rig = lateRig();
    const token = rig.token(rig.daily);
    const ada = rig.client().say({ type: 'join', token }).say({ type: 'join', token });
    rig.answer(true);
    expect([ada.types, ada.last('error')?.code, rig.questions]).toEqual([['welcome', 'error'], 'already_joined', []]);
  });

  it('is closed if it sends too much before it is admitted', () => {
    const rig = lateRig();
    const ada = rig.client().say({ type: 'join', token: rig.token(rig.daily) });
    for (let count = 0; count < 21; count++) ada.say({ type: 'ping' });
    expect([ada.last('error')?.code, ada.isClosed]).toEqual(['too_many_messages', true]);
    rig.answer(true);
    expect(rig.sessions.count).toBe(0);
  });

  it('reconnects over a new link by its key, without a check', async () => {
    const rig = lateRig();
    const ada = rig.client().say({ type: 'join', token: rig.token(rig.daily) });
    rig.answer(true);
    const { resume_key: key } = ada.last('welcome')!;
    ada.break();
    await rig.clock.advance(10_000);
    const back = rig.client().say({ type: 'resume', resume_key: key });
    expect([back.id, rig.questions]).toEqual([ada.id, []]);
  });
});
