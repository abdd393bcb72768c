/** The form of a broadcast as an API request, and a rehearsal with its progress. */
import { describe, expect, it } from 'vitest';
import {
  type BroadcastForm,
  EMPTY_FORM,
  generatedCount,
  numbersIn,
  type RehearsedNumbers,
  readOrder,
} from '../../src/pages/studio/web/broadcasts/order.ts';
import { RehearsalRun, type RehearsalState } from '../../src/pages/studio/web/broadcasts/rehearsal.ts';

const form = (more: Partial<BroadcastForm> = {}): BroadcastForm => ({
  ...EMPTY_FORM,
  flow: 'reminder',
  from: ' 1000 ',
  ...more,
});

describe('form of a broadcast', () => {
  it('omits all fields that were left empty', () => {
    expect(readOrder(form())).toEqual({
      order: { application_name: 'reminder', from: '1000', flow: 'reminder' },
    });
  });

  it('contains numbers, pace and the other fields of the request', () => {
    const written = form({
      ...{ name: 'March', numbers: '+33612345678,Ann\r\n\n 2000 \n', callsPerSecond: '0.5', retries: '0' },
      more: '{"amd": true, "call_param": {"window": "office", "number_of_retries": 1}}',
    });
    expect(readOrder(written)).toEqual({
      order: {
        ...{ application_name: 'March', from: '1000', flow: 'reminder', amd: true },
        broadcast_numbers_array: ['+33612345678', '2000'],
        // Explicit values override derived ones.
        call_param: { calls_per_second: 0.5, number_of_retries: 1, window: 'office' },
      },
    });
  });

  it.each<[Partial<BroadcastForm>, (keyof BroadcastForm)[]]>([
    [{ flow: '' }, ['flow']],
    [{ from: '  ' }, ['from']],
    [{ callsPerSecond: 'many', atOnce: '-1' }, ['callsPerSecond', 'atOnce']],
    [{ more: '{' }, ['more']],
    [{ more: '[1]' }, ['more']],
    [{ more: 'null' }, ['more']],
  ])('reports the location of the error in %j', (more, fields) => {
    const { problems } = readOrder(form(more)) as { problems: object };
    expect(Object.keys(problems)).toEqual(fields);
  });

  it.each<[RehearsedNumbers, number, number | undefined]>([
    ['auto', 0, 100],
    ['auto', 50, undefined],
    ['auto', 20_000, 10_000],
    ['given', 50, undefined],
    [1000, 50, 1000],
  ])('rehearses for %j with %i given numbers %j generated ones', (wanted, given, generated) => {
    expect(generatedCount(wanted, given)).toBe(generated);
  });

  it('reads numbers in the formats people paste', () => {
    expect(numbersIn('1\n2;x\n\t\n3\ty')).toEqual(['1', '2', '3']);
  });
});

describe('a rehearsal', () => {
  const at = (id: string, state: RehearsalState['state'], done: number): RehearsalState => ({
    ...{ rehearsal_id: id, state, numbers: 10 },
    done: { numbers: done, calls: done },
  });

  it('is polled until its end', async () => {
    const seen = [at('a', 'running', 4), at('a', 'completed', 10)];
    const run = new RehearsalRun({
      begin: async () => at('a', 'running', 0),
      look: async () => seen.shift(),
      stop: async () => undefined,
      wait: async () => undefined,
    });
    await run.start({ broadcast: { flow: 'x' } });
    expect(run.state.value).toEqual(at('a', 'completed', 10));
    expect([run.isRunning, run.of.value, seen]).toEqual([false, '{"flow":"x"}', []]);
  });

  it('is cancelled when a later one starts', async () => {
    const asked: string[] = [];
    const gate = Promise.withResolvers<void>();
    const run = new RehearsalRun({
      begin: async ({ broadcast }) => at(String(broadcast['flow']), asked.length === 0 ? 'running' : 'completed', 0),
      look: async (id) => at(id, 'completed', 10),
      stop: async (id) => void asked.push(`stop ${id}`),
      wait: () => gate.promise,
    });
    const first = run.start({ broadcast: { flow: 'one' } });
    await Promise.resolve();
    await Promise.resolve();
    expect(run.isRunning).toBe(true);
    await run.start({ broadcast: { flow: 'two' } });
    gate.resolve();
    await first;
    expect(asked).toEqual(['stop one']);
    expect(run.state.value).toEqual(at('two', 'completed', 0));
  });
});
