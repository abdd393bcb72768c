/**
 * What every `Engine` must do, whatever carries its calls: the invariants E1–E4 of the port, in many orders. Each
 * engine's test runs this suite over a harness, which plays the network and says aloud what it cannot do.
 *
 * The suite knows no clock: it lets time pass through the harness, so that it runs in virtual time and over sockets.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LegCommand } from '../core/leg.ts';
import type { CalleePlan } from '../telephony/simulated/far-end.ts';
import type { ContractFeature, EngineHarness, Line } from './engine-case.ts';
import { answer, Case, hangup, LONG_SOUND, play, record, SOUND, sendDigits } from './engine-case.ts';

export type { ContractParty, EngineHarness } from './engine-case.ts';

/** `concurrent`: cases in real time are waited for side by side; each has an engine and a harness of its own. */
export function runEngineContract(make: () => Promise<EngineHarness>, { concurrent = false } = {}): void {
  describe('engine contract', { concurrent }, () => {
    /** A case; it is skipped, with the reason, where the harness cannot do what it needs. */
    const proves = (name: string, needs: ContractFeature[], prove: (contract: Case) => Promise<void>): void => {
      it(name, async ({ skip }) => {
        const harness = await make();
        const reason = needs.map((feature) => harness.cannot?.[feature]).find((why) => why !== undefined);
        if (reason !== undefined) skip(reason);
        const contract = new Case(harness);
        await harness.engine.start(contract.watch);
        try {
          await prove(contract);
          await contract.judge();
        } finally {
          await harness.engine.stop();
          await harness.close();
        }
      });
    };
    const near = ({ harness }: Case, ms: number) => ({
      asymmetricMatch: (given: unknown) => typeof given === 'number' && Math.abs(given - ms) <= harness.toleranceMs,
      toString: () => `about ${ms}`,
    });

    describe('ends exactly once (E1, E2)', () => {
      const WHILE: [state: string, needs: ContractFeature[], reach: (contract: Case) => Promise<Line>][] = [
        ['offered', [], (contract) => contract.offered()],
        [
          'ringing',
          [],
          async (contract) => {
            const line = await contract.offered();
            line.send({ type: 'ring' });
            return line;
          },
        ],
        [
          'in early media',
          ['early_media'],
          async (contract) => {
            const line = await contract.offered();
            line.send({ type: 'progress' }, play('p', LONG_SOUND));
            return line;
          },
        ],
        [
          'answered but not acknowledged',
          [],
          async (contract) => {
            const line = await contract.offered();
            line.send(answer);
            return line;
          },
        ],
        ['connected', [], (contract) => contract.connected()],
        [
          'playing',
          [],
          async (contract) => {
            const line = await contract.connected();
            line.send(play('p', LONG_SOUND));
            return line;
          },
        ],
        [
          'playing for ever',
          [],
          async (contract) => {
            const line = await contract.connected();
            line.send(play('p', SOUND, true));
            return line;
          },
        ],
        [
          'recording',
          ['record'],
          async (contract) => {
            const line = await contract.connected();
            line.send(record('r'));
            return line;
          },
        ],
        [
          'sending digits',
          ['send_digits'],
          async (contract) => {
            const line = await contract.connected();
            line.send(sendDigits('s1', '123456789'), sendDigits('s2', '123456789'));
            return line;
          },
        ],
        [
          'doing everything at once',
          ['record', 'send_digits'],
          async (contract) => {
            const line = await contract.connected();
            line.send(play('x', LONG_SOUND), record('x'), sendDigits('x', '123456789'));
            return line;
          },
        ],
        ['dialling', ['dial_no_answer'], (contract) => contract.dial({ does: 'no_answer', ringsAfterMs: 1000 })],
        [
          'hearing it ring',
          ['dial_no_answer'],
          async (contract) => {
            const line = await contract.dial({ does: 'no_answer' });
            await line.until('ringing');
            return line;
          },
        ],
        [
          'talking to a callee',
          ['dial_answer'],
          async (contract) => {
            const line = await contract.dial({ does: 'answer', afterMs: 50 });
            await line.until('answered');
            line.send(play('p', LONG_SOUND));
            return line;
          },
        ],
      ];
      for (const [state, needs, reach] of WHILE) {
        for (const pauseMs of [0, 40]) {
          const when = pauseMs === 0 ? `the moment it is ${state}` : `while ${state}`;
          proves(`hung up by us ${when}`, needs, async (contract) => {
            const line = await reach(contract);
            await contract.harness.elapse(pauseMs);
            line.send({ type: 'hangup', cause: 17 });
            expect(await line.until('ended')).toMatchObject({ by: 'near', cause: { code: 17, reason: 'User Busy' } });
          });
          proves(`hung up twice by us ${when}`, needs, async (contract) => {
            const line = await reach(contract);
            await contract.harness.elapse(pauseMs);
            line.send(hangup, hangup);
            await line.until('ended');
          });
          if (needs.includes('dial_no_answer')) continue;
          proves(`hung up by the party ${when}`, needs, async (contract) => {
            const line = await reach(contract);
            await contract.harness.elapse(pauseMs);
            line.party.hangUp();
            expect(await line.until('ended')).toMatchObject({ by: 'far' });
          });
          proves(`hung up by both at once ${when}`, needs, async (contract) => {
            const line = await reach(contract);
            await contract.harness.elapse(pauseMs);
            line.party.hangUp();
            line.send(hangup);
            await line.until('ended');
          });
        }
      }

      proves('answers what was running before it ends', ['record', 'send_digits'], async (contract) => {
        const line = await contract.connected();
        line.send(play('p', LONG_SOUND), record('r'), sendDigits('s', '123456789'));
        await contract.harness.elapse(100);
        line.party.hangUp();
        await line.until('ended');
        expect(line.all('play_ended')).toMatchObject([{ playId: 'p', reason: 'stopped' }]);
        expect(line.all('record_ended')).toMatchObject([{ recordId: 'r', reason: 'hangup' }]);
        expect(line.all('digits_sent')).toMatchObject([{ sendId: 's' }]);
      });
    });

    describe('ignores what does not fit (E3)', () => {
      const ANY: LegCommand[] = [
        { type: 'ring' },
        { type: 'progress' },
        answer,
        { type: 'reject', sipStatus: 486 },
        play('late'),
        { type: 'stop_play', playId: 'late' },
        record('late'),
        { type: 'stop_record', recordId: 'late' },
        sendDigits('late'),
        hangup,
      ];

      proves('commands for a leg that never was', [], async (contract) => {
        for (const command of ANY) contract.watch.send('nobody', command);
        await contract.harness.elapse(100);
      });
      proves('commands after the end', [], async (contract) => {
        const line = await contract.connected();
        line.send(hangup);
        await line.until('ended');
        line.send(...ANY);
        await contract.harness.elapse(500);
        expect(line.types.at(-1)).toBe('ended');
      });
      proves('a rejection after the answer', [], async (contract) => {
        const line = await contract.connected();
        line.send({ type: 'reject', sipStatus: 486 });
        await contract.harness.elapse(200);
        expect(line.types).not.toContain('ended');
      });
      proves('an answer after a rejection', [], async (contract) => {
        const line = await contract.offered();
        line.send({ type: 'reject', sipStatus: 603 }, answer);
        await line.until('ended');
        expect(line.types).not.toContain('answered');
      });
      proves('a second answer, and ringing after it', [], async (contract) => {
        const line = await contract.offered();
        line.send(answer, answer);
        await line.until('answered');
        line.send(answer, { type: 'ring' }, { type: 'progress' });
        await contract.harness.elapse(200);
        expect(line.all('answered')).toHaveLength(1);
      });
      proves('an answer to a call of ours', ['dial_no_answer'], async (contract) => {
        const line = await contract.dial({ does: 'no_answer' });
        await line.until('ringing');
        line.send(answer, { type: 'reject', sipStatus: 486 }, { type: 'ring' }, { type: 'progress' });
        await contract.harness.elapse(200);
        expect(line.types).toEqual(['ringing']);
      });
      proves('the stop of a play or recording that never was', [], async (contract) => {
        const line = await contract.connected();
        line.send({ type: 'stop_play', playId: 'x' }, { type: 'stop_record', recordId: 'x' });
        await contract.harness.elapse(100);
        expect(line.types).toEqual(['answered']);
      });
    });

    describe('receives calls', () => {
      proves('tells who calls whom', [], async (contract) => {
        await contract.offered();
        const [leg] = contract.watch.arrivals;
        expect(leg?.from).toBeTruthy();
        expect(leg?.to).toBeTruthy();
      });
      proves('rejects with a SIP status', [], async (contract) => {
        const line = await contract.offered();
        line.send({ type: 'reject', sipStatus: 486 });
        expect(await line.until('ended')).toMatchObject({ by: 'near', cause: { code: 17 }, sipStatus: 486 });
      });
      proves('keeps two calls apart', [], async (contract) => {
        const [one, other] = [await contract.connected(), await contract.connected()];
        one.send(play('p'));
        other.send(hangup);
        await other.until('ended');
        expect(await one.until('play_ended')).toMatchObject({ reason: 'finished' });
        expect(one.types).not.toContain('ended');
        expect(other.types).not.toContain('play_ended');
      });
    });

    describe('plays', () => {
      proves('to the end', [], async (contract) => {
        const line = await contract.connected();
        line.send(play('p', [...SOUND, { type: 'silence', durationMs: 200 }]));
        expect(await line.until('play_ended')).toEqual({
          type: 'play_ended',
          playId: 'p',
          reason: 'finished',
          playedMs: near(contract, 500),
        });
      });
      proves('nothing at all', [], async (contract) => {
        const line = await contract.connected();
        line.send(play('p', []), play('q', [], true));
        await line.until('play_ended', 2);
        expect(line.all('play_ended').map(({ reason }) => reason)).toEqual(['finished', 'finished']);
      });
      proves('until it is stopped, however often that is asked', [], async (contract) => {
        const line = await contract.connected();
        line.send(play('p', SOUND, true));
        await contract.harness.elapse(1_000);
        expect(line.types).toEqual(['answered']);
        line.send({ type: 'stop_play', playId: 'p' }, { type: 'stop_play', playId: 'p' });
        expect(await line.until('play_ended')).toMatchObject({ reason: 'stopped', playedMs: near(contract, 1_000) });
      });
      proves('and stops before it began', [], async (contract) => {
        const line = await contract.connected();
        line.send(play('p'), { type: 'stop_play', playId: 'p' });
        expect(await line.until('play_ended')).toMatchObject({ reason: 'stopped' });
      });
      proves('one thing at a time: the next stops the one before', [], async (contract) => {
        const line = await contract.connected();
        line.send(play('p', LONG_SOUND));
        await contract.harness.elapse(50);
        line.send(play('q'));
        await line.until('play_ended', 2);
        expect(line.all('play_ended')).toMatchObject([
          { playId: 'p', reason: 'stopped' },
          { playId: 'q', reason: 'finished' },
        ]);
      });
      proves('the next after a stop, and its late stop harms nothing', [], async (contract) => {
        const line = await contract.connected();
        line.send(play('p', LONG_SOUND), { type: 'stop_play', playId: 'p' }, play('q'), {
          type: 'stop_play',
          playId: 'p',
        });
        await line.until('play_ended', 2);
        expect(line.all('play_ended')).toMatchObject([
          { playId: 'p', reason: 'stopped' },
          { playId: 'q', reason: 'finished' },
        ]);
      });
      proves('what was asked for before the answer, after it', [], async (contract) => {
        const line = await contract.offered();
        line.send(play('p'));
        await contract.harness.elapse(500);
        expect(line.types).toEqual([]);
        line.send(answer);
        expect(await line.until('play_ended')).toMatchObject({ reason: 'finished', playedMs: near(contract, 300) });
      });
      proves('before the answer, as early media', ['early_media'], async (contract) => {
        const line = await contract.offered();
        line.send({ type: 'progress' }, play('p'));
        expect(await line.until('play_ended')).toMatchObject({ reason: 'finished' });
        line.send(answer);
        await line.until('answered');
        expect(line.types).toEqual(['play_ended', 'answered']);
      });
      proves('and says why it cannot', ['missing_audio'], async (contract) => {
        const line = await contract.connected();
        line.send(play('p', [{ type: 'file', file: contract.harness.missingFile! }]));
        expect(await line.until('play_ended')).toMatchObject({
          reason: 'failed',
          playedMs: 0,
          fault: { code: expect.any(String), message: expect.any(String) },
        });
      });
    });

    describe('hears digits', () => {
      proves('each once, in order, the same one twice', ['press'], async (contract) => {
        const line = await contract.connected();
        line.party.press('1122#*0');
        await line.until('digit', 7);
        await contract.harness.elapse(500);
        expect(
          line
            .all('digit')
            .map(({ digit }) => digit)
            .join(''),
        ).toBe('1122#*0');
        expect(line.all('digit').every(({ durationMs }) => durationMs > 0)).toBe(true);
      });
      proves('while it plays, and plays on until told otherwise', ['press'], async (contract) => {
        const line = await contract.connected();
        line.send(play('p', LONG_SOUND));
        line.party.press('5');
        await line.until('digit');
        expect(line.types).not.toContain('play_ended');
        line.send({ type: 'stop_play', playId: 'p' });
        expect(await line.until('play_ended')).toMatchObject({ reason: 'stopped' });
      });
      proves('of a party that we called', ['press', 'dial_answer'], async (contract) => {
        const line = await contract.dial({ does: 'answer' });
        await line.until('answered');
        line.party.press('42');
        await line.until('digit', 2);
      });
    });

    describe('records', () => {
      proves('until the limit', ['record'], async (contract) => {
        const line = await contract.connected();
        line.send(record('r', { maxLengthMs: 400, endSilenceMs: 100 }));
        expect(await line.until('record_ended')).toMatchObject({
          recordId: 'r',
          reason: 'max_length',
          durationMs: near(contract, 400),
          speechMs: 0,
        });
      });
      proves('until silence after speech', ['record', 'speak'], async (contract) => {
        const line = await contract.connected();
        line.send(record('r', { endSilenceMs: 400 }));
        await contract.harness.elapse(300);
        line.party.speak(500);
        const ended = await line.until('record_ended');
        expect(ended).toMatchObject({
          reason: 'end_silence',
          durationMs: near(contract, 1_200),
          speechMs: near(contract, 500),
        });
      });
      proves('until a digit that ends it, which is also told', ['record', 'press'], async (contract) => {
        const line = await contract.connected();
        line.send(record('r', { terminators: '#*' }));
        line.party.press('1#');
        expect(await line.until('record_ended')).toMatchObject({ reason: 'terminator' });
        expect(line.all('digit').map(({ digit }) => digit)).toEqual(['1', '#']);
      });
      proves('until it is stopped, twice', ['record'], async (contract) => {
        const line = await contract.connected();
        line.send(record('r'));
        await contract.harness.elapse(200);
        line.send({ type: 'stop_record', recordId: 'r' }, { type: 'stop_record', recordId: 'r' });
        expect(await line.until('record_ended')).toMatchObject({ reason: 'stopped', durationMs: near(contract, 200) });
      });
      proves('one thing at a time', ['record'], async (contract) => {
        const line = await contract.connected();
        line.send(record('r'), record('s', { maxLengthMs: 200 }));
        await line.until('record_ended', 2);
        expect(line.all('record_ended')).toMatchObject([
          { recordId: 'r', reason: 'stopped' },
          { recordId: 's', reason: 'max_length' },
        ]);
      });
    });

    describe('sends digits', () => {
      proves('all of them, then says so', ['send_digits'], async (contract) => {
        const line = await contract.connected();
        line.send(sendDigits('s', '1w9#'));
        await line.until('digits_sent');
        await contract.harness.elapse(100);
        expect(line.party.received).toBe('19#');
      });
      proves('one string after the other', ['send_digits'], async (contract) => {
        const line = await contract.connected();
        line.send(sendDigits('s', '12'), sendDigits('t', ''), sendDigits('u', '3'));
        await line.until('digits_sent', 3);
        await contract.harness.elapse(100);
        expect(line.all('digits_sent').map(({ sendId }) => sendId)).toEqual(['s', 't', 'u']);
        expect(line.party.received).toBe('123');
      });
    });

    describe('dials', () => {
      proves('a party that rings, answers and hangs up', ['dial_answer'], async (contract) => {
        const line = await contract.dial({ does: 'answer', afterMs: 200, talkMs: 200 });
        expect(await line.until('ended')).toMatchObject({ by: 'far', cause: { code: 16 } });
        expect(line.types).toEqual(['ringing', 'answered', 'ended']);
      });
      const REFUSALS: [CalleePlan['does'], plan: CalleePlan, causes: number[]][] = [
        ['busy', { does: 'busy' }, [17]],
        ['declined', { does: 'declined', afterMs: 100 }, [21]],
        ['unreachable', { does: 'unreachable' }, [1, 3, 20, 27, 41, 102]],
        ['fail', { does: 'fail', sipStatus: 404 }, [1]],
      ];
      for (const [does, plan, causes] of REFUSALS) {
        proves(`a party that is ${does}`, [`dial_${does}`], async (contract) => {
          const line = await contract.dial(plan);
          const { cause } = await line.until('ended');
          expect(causes).toContain(cause.code);
          expect(line.types).not.toContain('answered');
        });
      }
      proves('in vain: the time to ring is over', ['dial_no_answer'], async (contract) => {
        const line = await contract.dial({ does: 'no_answer' }, 500);
        expect(await line.until('ended')).toMatchObject({ cause: { code: 19, reason: 'No Answer' } });
        expect(line.types).toEqual(['ringing', 'ended']);
      });
      proves('and plays what was asked for before the answer, after it', ['dial_answer'], async (contract) => {
        const line = await contract.dial({ does: 'answer', afterMs: 300 });
        line.send(play('p'));
        expect(await line.until('play_ended')).toMatchObject({ reason: 'finished', playedMs: near(contract, 300) });
        expect(line.types).toEqual(['ringing', 'answered', 'play_ended']);
      });
      proves('many at once', ['dial_answer', 'dial_busy'], async (contract) => {
        const lines: Line[] = [];
        for (let n = 0; n < 5; n++) {
          lines.push(await contract.dial({ does: 'answer', talkMs: 100 * n }), await contract.dial({ does: 'busy' }));
        }
        for (const [index, line] of lines.entries()) {
          expect((await line.until('ended')).cause.code).toBe(index % 2 === 0 ? 16 : 17);
        }
      });
    });

    describe('stops', () => {
      proves('with an end for every leg, and nothing after', ['dial_no_answer'], async (contract) => {
        const lines = [
          await contract.offered(),
          await contract.connected(),
          await contract.dial({ does: 'no_answer' }),
        ];
        lines[1]!.send(play('p', LONG_SOUND));
        await contract.harness.engine.stop();
        for (const line of lines) expect(line.types.at(-1)).toBe('ended');
        await contract.harness.elapse(500);
        expect(contract.watch.violations()).toEqual([]);
      });
      proves('twice, and a call that is dialled afterwards fails', [], async (contract) => {
        await contract.harness.engine.stop();
        await contract.harness.engine.stop();
        contract.watch.dial('late', '+33100000000', 1_000);
        await contract.until(() => contract.watch.legs.get('late')!.length > 0, 'the end of a call after the stop');
        expect(contract.watch.violations()).toEqual([]);
      });
    });

    proves(
      'keeps E1–E4 in any order of commands, keys and hang-ups',
      ['random', 'press', 'speak'],
      async (contract) => {
        const act = fc.oneof(
          fc.constantFrom<LegCommand>(
            answer,
            { type: 'ring' },
            { type: 'progress' },
            { type: 'stop_play', playId: 'a' },
            { type: 'stop_record', recordId: 'a' },
          ),
          fc.constantFrom('press', 'speak', 'settle'),
          fc.record({
            what: fc.constantFrom('play', 'loop', 'record', 'digits'),
            ms: fc.integer({ min: 0, max: 300 }),
          }),
          fc.constantFrom<'hangUp' | LegCommand>('hangUp', hangup, { type: 'reject', sipStatus: 480 }),
          fc.integer({ min: 0, max: 200 }),
        );
        let ids = 0;
        const legOf = async (isDialled: boolean) =>
          isDialled ? contract.dial({ does: 'answer', afterMs: 50 }) : contract.offered();
        await fc.assert(
          fc.asyncProperty(fc.boolean(), fc.array(act, { maxLength: 25 }), async (isDialled, acts) => {
            const line = await legOf(isDialled);
            for (const next of acts) {
              const id = `x${++ids}`;
              if (typeof next === 'number') await contract.harness.elapse(next);
              else if (next === 'press') line.party.press('1#');
              else if (next === 'speak') line.party.speak(120);
              else if (next === 'settle') await contract.harness.elapse(0);
              else if (next === 'hangUp') line.party.hangUp();
              else if ('type' in next) line.send(next);
              else if (next.what === 'record') line.send(record(id, { maxLengthMs: next.ms, terminators: '#' }));
              else if (next.what === 'digits') line.send(sendDigits(id, '1w2'));
              else line.send(play(id, [{ type: 'silence', durationMs: next.ms }], next.what === 'loop'));
            }
            await contract.judge();
          }),
          { numRuns: 200, seed: 20_260_302 },
        );
      },
    );
  });
}
