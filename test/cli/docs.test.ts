/** The documentation matches the program: links resolve, examples compile. */
import { readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { noFlows } from '../../src/cli/flow-files.ts';
import { PAGES } from '../../src/cli/reference.ts';
import { readConfigText } from '../../src/config.ts';
import { compileFlow } from '../../src/language/flow/compile.ts';
import { BOUNDS } from '../../src/proof/explore/exploration.ts';
import { exploreFlow } from '../../src/proof/explore/explore-flow.ts';
import { loadCallees } from '../../src/proof/testkit/rehearsal/callees-file.ts';
import type { FindFlow } from '../../src/proof/testkit/replay-result.ts';
import { loadScenario } from '../../src/proof/testkit/scenario-file.ts';
import { verbs } from '../../src/verbs/steps.ts';
import { filesBelow } from '../files.ts';
import { callweave, folderOf, ROOT } from './command.ts';

const SKIPPED = new Set(['node_modules', '.git', 'data', 'coverage']);

const pages = filesBelow(ROOT, SKIPPED)
  .filter((file) => file.endsWith('.md'))
  .map((file) => ({ name: relative(ROOT, file), file, text: readFileSync(file, 'utf8') }));

test('has a section for every verb', () => {
  for (const { verb } of verbs) expect(PAGES.verbs()).toContain(`\n### ${verb}\n`);
});

const withoutCode = (text: string): string => text.replace(/```[\s\S]*?```/g, '').replace(/`[^`]*`/g, '');

/** As GitHub makes them of headings. */
const anchorsOf = (text: string): Set<string> =>
  new Set(
    [...text.replace(/```[\s\S]*?```/g, '').matchAll(/^#+ (.*)$/gm)].map(([, title]) =>
      title!
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );

test.each(pages.map(({ name, file, text }) => [name, file, text] as const))(
  'contains no broken link in %s',
  (_, file, text) => {
    const broken = [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, target]) => target!)
      .filter((target) => !/^https?:/.test(target))
      .filter((target) => {
        const [path = '', anchor] = target.split('#');
        const aim = path === '' ? file : resolve(dirname(file), decodeURI(path));
        if (!statSync(aim, { throwIfNoEntry: false })) return true;
        return anchor !== undefined && !anchorsOf(readFileSync(aim, 'utf8')).has(anchor);
      });
    expect(broken).toEqual([]);
  },
);

const blocks = pages.flatMap(({ name, text }) =>
  [...text.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, block]) => ({ name, block: block! })),
);

/** Flows that come with the program are found by their names. */
const builtIn = noFlows();

const flows = blocks.filter(({ block }) => /^flow: \S+\n/.test(block) && /^steps:/m.test(block));

test('shows only whole flows that compile without a warning', () => {
  expect(flows.length).toBeGreaterThanOrEqual(2);
  for (const { name, block } of flows) {
    expect(compileFlow(block, join(ROOT, name), verbs).diagnostics, `${name}\n${block}`).toEqual([]);
  }
});

test('shows only whole flows that work for every input of a caller', async () => {
  for (const { name, block } of flows) {
    const { flow } = compileFlow(block, join(ROOT, name), verbs);
    const find: FindFlow = (wanted) => (wanted === flow!.name ? flow : builtIn.find(wanted));
    const { findings } = await exploreFlow(flow!, { flows: find, tested: {}, bounds: { ...BOUNDS, runs: 200 } });
    // Some pages show no neighbouring files of a flow, and no simulated moderator denies a participant.
    const wrong = findings.filter(({ message }) => !/there is no flow |is never left by /.test(message));
    expect(
      wrong.map(({ step, message }) => `${step}: ${message}`),
      `${name}\n${block}`,
    ).toEqual([]);
  }
}, 120_000);

test('scenarios shown in the documentation can be read', () => {
  const scenarios = blocks.filter(({ block }) => block.startsWith('test: '));
  expect(scenarios.length).toBeGreaterThanOrEqual(2);
  for (const { name, block } of scenarios) expect(loadScenario(block, name).diagnostics, block).toEqual([]);
});

test('callees shown in the documentation can be read', () => {
  const casts = blocks.filter(({ block }) => block.startsWith('groups:'));
  expect(casts.length).toBeGreaterThanOrEqual(1);
  for (const { name, block } of casts) expect(loadCallees(block, name).diagnostics, block).toEqual([]);
});

test('configurations shown in the documentation are valid, except for what depends on the machine', () => {
  const configurations = blocks.filter(({ block }) => /^(numbers|data_directory):/.test(block));
  expect(configurations.length).toBeGreaterThanOrEqual(2);
  for (const { name, block } of configurations) {
    const { diagnostics } = readConfigText(block, join(ROOT, name));
    const wrong = diagnostics.filter(({ code }) => !['missing-variable', 'missing-secret'].includes(code));
    expect(wrong, `${name}\n${block}`).toEqual([]);
  }
});

test('validates, tests and runs the first flow of the README, which says its local time', async () => {
  const page = readFileSync(join(ROOT, 'README.md'), 'utf8');
  const [flow, scenario] = [...page.slice(page.indexOf('## A first flow')).matchAll(/```yaml\n([\s\S]*?)```/g)];
  using folder = folderOf({ 'flows/first.flow.yaml': flow![1]!, 'flows/first.test.yaml': scenario![1]! });
  const around = { cwd: folder.path };
  expect(await callweave(['check', '--strict', 'flows'], around)).toMatchObject({ code: 0 });
  expect((await callweave(['test', 'flows'], around)).out).toContain('1 test passed, 0 failed');
  const said = async (at: string): Promise<string> =>
    (await callweave(['call', 'flows/first.flow.yaml', '--at', at], { ...around, input: '2\n' })).out;
  expect(await said('2026-07-02T18:05:00Z')).toContain('hear  "It is 8:05 pm."');
  expect(await said('2026-12-24T08:00:00Z')).toContain('hear  "It is 9:00 am."');
});
