/** `callweave import --tests`: generated tests of the imported flow pass, and notice a later change. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { callweave, folderOf } from '../cli/command.ts';

const document = (verbs: string): string => `<Response>${verbs}</Response>`;
const ASK =
  '<Gather numDigits="1" action="menu.xml"><Say>Press 1 for sales.</Say></Gather><Say>We heard nothing.</Say>';
const testsIn = (folder: string): string[] => readdirSync(folder).filter((file) => file.endsWith('.test.yaml'));

interface Report {
  tests: { flow: string; tests: { step: string; outcome: string }[]; unreached: { step: string; why?: string }[] }[];
}

it('writes tests that pass, once, and that notice a change', async () => {
  using folder = folderOf({
    'welcome.xml': document(ASK),
    'menu.xml': document('<Say>Thank you for that.</Say>'),
  });
  const at = { cwd: folder.path };
  const made = await callweave(['import', 'welcome.xml', 'menu.xml', '--tests'], at);
  expect(made).toMatchObject({ code: 0, err: '' });
  const files = testsIn(folder.path);
  expect(files).toContain('welcome.ask_press_1_for_sales.collected.test.yaml');
  expect(made.out).toContain(`welcome: ${files.length} tests written`);
  expect((await callweave(['test', '.'], at)).out).toContain(`${files.length} tests passed, 0 failed`);

  const again = await callweave(['import', 'welcome.xml', 'menu.xml', '--tests', '--force'], at);
  expect(again.out).toContain('welcome: 0 tests written');

  const flow = join(folder.path, 'welcome.flow.yaml');
  writeFileSync(flow, readFileSync(flow, 'utf8').replace('Thank you for that.', 'Thank you for this.'));
  using changed = folderOf({
    'welcome.flow.yaml': readFileSync(flow, 'utf8'),
    ...Object.fromEntries(files.map((file) => [file, readFileSync(join(folder.path, file), 'utf8')])),
  });
  expect((await callweave(['test', '.'], { cwd: changed.path })).code).toBe(1);
});

it('writes tests of what does not lead through a step that is to be written, and says of the others why not', async () => {
  using folder = folderOf({
    'welcome.xml': document(ASK),
    'menu.xml': document('<Wobble/><Say>Thank you for that.</Say>'),
  });
  const made = await callweave(['import', 'welcome.xml', 'menu.xml', '--tests', '--json'], { cwd: folder.path });
  const [report] = (made.json() as Report).tests;
  const tested = report!.tests.map(({ step, outcome }) => `${step} ${outcome}`);
  expect(tested).toContain('say_we_heard_nothing done');
  expect(tested.filter((each) => /^(wobble|say_thank)/.test(each))).toEqual([]);
  expect(report!.unreached).toContainEqual({ step: 'wobble', outcome: 'done', why: 'the step is still to be written' });
  expect(testsIn(folder.path)).toHaveLength(tested.length);
});
