/** Makes the folder of a new verb from a pattern: `npm run new-verb beep`. CONTRIBUTING.md has the steps after it. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const [verb = ''] = process.argv.slice(2);
const folder = join(ROOT, 'src/verbs', verb);

if (!/^[a-z]+(_[a-z]+)*$/.test(verb)) stop('usage: npm run new-verb NAME, such as send_fax');
if (existsSync(folder)) stop(`there is a verb ${verb} already`);

const typeName = verb.replace(/(^|_)[a-z]/g, (letter) => letter.at(-1)!.toUpperCase());

const SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: verb,
  description: 'Does nothing yet.',
  group: 'logic',
  icon: { path: 'M8 3v10M3 8h10' },
  picker: { group: 'record', place: 9, sentence: 'Does nothing yet.', begins: {} },
  outcomes: {
    done: { text: 'The step is done.', success: true },
    error: { text: 'The step failed.', kind: 'fault' },
  },
  examples: [{ [verb]: {}, next: 'listen' }],
  type: 'object',
  additionalProperties: false,
  properties: {},
};

const STEP = `import { defineStep } from '../../language/steps/step.ts';
import type { ${typeName}Args, ${typeName}Outcome } from '../../language/steps/verb-types.ts';

export const step = defineStep<${typeName}Args, ${typeName}Outcome>({
  verb: '${verb}',
  async run() {
    return { outcome: 'done' };
  },
});
`;

mkdirSync(folder);
writeFileSync(join(folder, 'schema.json'), `${JSON.stringify(SCHEMA, undefined, 2)}\n`);
writeFileSync(join(folder, 'step.ts'), STEP);
execFileSync(process.execPath, [join(ROOT, 'test/schema/generate-types.ts')], { stdio: 'inherit' });
console.log(`src/verbs/${verb} has schema.json and step.ts`);

function stop(message: string): never {
  console.error(message);
  process.exit(1);
}
