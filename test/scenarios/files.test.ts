/**
 * Scenarios of this directory: each passes, gives the same result twice, and its journal can be replayed. The benchmark
 * is `npm run bench -- reading`.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FlowLibrary } from '../../src/language/flow/flow-library.ts';
import { coverageOf } from '../../src/proof/testkit/coverage.ts';
import { replayJournal } from '../../src/proof/testkit/replay.ts';
import { runScenarioFile } from '../../src/proof/testkit/scenario.ts';
import { verbs } from '../../src/verbs/steps.ts';

const directory = import.meta.dirname;
const files = readdirSync(directory).filter((file) => file.endsWith('.test.yaml'));
const library = new FlowLibrary(verbs).load(directory);

describe.each(files)('%s', (file) => {
  it('is met, and gives the same journal byte for byte each time', async () => {
    const [one, other] = [await runScenarioFile(join(directory, file)), await runScenarioFile(join(directory, file))];
    expect(JSON.stringify(other.journal)).toBe(JSON.stringify(one.journal));
  });

  it('replays from its journal', async () => {
    const { journal } = await runScenarioFile(join(directory, file));
    const read = JSON.parse(JSON.stringify(journal));
    const schedules = {
      office_hours: { timezone: 'Europe/Paris', open: [{ days: ['mon-fri'], from: '09:00', to: '18:00' }] },
    };
    expect(
      await replayJournal(read, (name) => (typeof name === 'string' ? library.get(name) : undefined), {
        schedules,
        callId: 'call-1',
      }),
    ).toMatchObject({ ok: true, entries: journal.length, sameVersion: true });
  });
});

it('covers all steps of the support line together', async () => {
  const journals = [];
  for (const file of files) journals.push((await runScenarioFile(join(directory, file))).journal);
  const { steps, missing } = coverageOf(library.get('support-line')!, journals);
  expect(steps).toEqual({ total: 10, covered: 10 });
  expect(missing).toContainEqual(expect.objectContaining({ kind: 'outcome', step: 'hours', outcome: 'holiday' }));
  expect(missing).not.toContainEqual(expect.objectContaining({ step: 'wrap_up' }));
});
