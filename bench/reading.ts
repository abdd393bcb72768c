/**
 * Cost of reading large inputs, and of running scenarios. The peer of a list is `JSON.parse` of the same data, that of
 * a scenario the check of its flows: both grow with the input, so that the ratio is comparable between machines.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseContacts } from '../src/cli/contacts.ts';
import { FlowLibrary } from '../src/language/flow/flow-library.ts';
import { runScenarioFile } from '../src/proof/testkit/scenario.ts';
import { readBroadcast } from '../src/service/api/broadcast-bodies.ts';
import { verbs } from '../src/verbs/steps.ts';
import { median, report } from './figure.ts';

const MANY = 100_000;
const ROUNDS = 7;
const SCENARIOS = join(import.meta.dirname, '../test/scenarios');

/** CPU time, because other processes may run at the same time. */
async function cpuMs(work: () => unknown): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / 1000);
  }
  return median(times);
}

const items = Array.from({ length: MANY }, (_, index) => ({
  ...{
    phone: `+336${String(index).padStart(8, '0')}`,
    name: `Customer ${index}`,
    city: 'Villeurbanne',
    due: index / 100,
  },
}));
const json = JSON.stringify(items);
const parseMs = await cpuMs(() => JSON.parse(json));
const body = { from: '1000', flow: 'menu', event_url: 'https://a.example/', broadcast_numbers_json: json };
report('reading.broadcast_of_100000', await cpuMs(() => readBroadcast(body)), 'ms', parseMs);

const csv = ['phone,name,city,due', ...items.map((item) => Object.values(item).join(','))].join('\n');
report('reading.contacts_of_100000', await cpuMs(() => parseContacts(csv, 'contacts.csv')), 'ms', parseMs);

const files = readdirSync(SCENARIOS).filter((file) => file.endsWith('.test.yaml'));
const checkMs = await cpuMs(() => new FlowLibrary(verbs).load(SCENARIOS));
const playMs = await cpuMs(async () => {
  for (const file of files) await runScenarioFile(join(SCENARIOS, file));
});
report('reading.scenarios', playMs / files.length, 'ms', checkMs);
