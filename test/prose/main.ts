/** `npm run prose -- [--list] [--file PREFIX] [--rule ID] [--genre GENRE] | --update`: counts or lists sentences to rewrite. */
import { parseArgs } from 'node:util';
import { excessesOf, folderOf, lowered, readBudget, writeBudget } from './budget.ts';
import { type Finding, findAll, findingText } from './findings.ts';

const { values } = parseArgs({
  options: {
    list: { type: 'boolean' },
    update: { type: 'boolean' },
    file: { type: 'string', default: '' },
    rule: { type: 'string' },
    genre: { type: 'string' },
  },
});

const all = findAll();
const shown = all.filter(
  ({ file, rule, genre }) =>
    file.startsWith(values.file) && rule.id === (values.rule ?? rule.id) && genre === (values.genre ?? genre),
);
if (values.update) update();
else if (values.list) for (const finding of shown) console.log(findingText(finding));
else {
  printCounts('rules', ({ rule }) => rule.id);
  printCounts('folders', ({ file, genre }) => `${folderOf(file)} ${genre}`);
}

/** Lowers the budget to what is there. Fails, and changes nothing above, where a folder has more than its number. */
function update(): void {
  const before = readBudget();
  const next = lowered(all, before);
  writeBudget(next);
  const excesses = excessesOf(all, next);
  for (const { folder, genre, budget, findings } of excesses) {
    console.error(`${folder} ${genre}: ${findings.length}, budget ${budget}`);
  }
  console.log(`${all.length} sentences to rewrite`);
  process.exitCode = excesses.length > 0 ? 1 : 0;
}

function printCounts(title: string, keyOf: (finding: Finding) => string): void {
  const groups = [...Map.groupBy(shown, keyOf)].sort(([, one], [, other]) => other.length - one.length);
  console.log(`${title}: ${shown.length}`);
  for (const [key, { length }] of groups) console.log(`${String(length).padStart(6)} ${key}`);
}
