/** `docs/conformance.md`, made of the table of rows: `npm run -s conformance > docs/conformance.md`. */
import { type Proof, SECTIONS, type Section } from './rows.ts';

export function conformancePage(): string {
  const count = SECTIONS.reduce((sum, { rows }) => sum + rows.length, 0);
  return `${[
    '# Conformance',
    '<!-- Generated from test/conformance/rows.ts by `npm run make`: edit that file instead. -->',
    `Guarantees of the interface and the tests that prove them: ${count} rows. A test fails if a row has no proof or names a missing test.`,
    ...SECTIONS.map(sectionText),
  ].join('\n\n')}\n`;
}

function sectionText({ title, rows, later }: Section): string {
  const lines = rows.map(({ id, says, by }) => `| ${id} | ${cell(says)} | ${by.map(proofText).join('<br>')} |`);
  const rest = later === undefined ? [] : ['', `Later: ${later.join('; ')}.`];
  return [`## ${title}`, '', '| row | promise | proof |', '|---|---|---|', ...lines, ...rest].join('\n');
}

function proofText(proof: Proof): string {
  const { file, title } = partsOf(proof);
  return `[${file}](../test/${file}.test.ts): ${cell(title.replaceAll('<', '&lt;'))}`;
}

export function partsOf(proof: Proof): { file: string; title: string } {
  const at = proof.indexOf(' > ');
  return { file: proof.slice(0, at), title: proof.slice(at + ' > '.length) };
}

const cell = (text: string): string => text.replaceAll('|', '\\|');

if (import.meta.main) process.stdout.write(conformancePage());
