/** A real call as a test: what was done and answered, masked values named, and the text of the file. */
import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../src/base/core/json.ts';
import { FlowLibrary } from '../../src/language/flow/flow-library.ts';
import { playScenario, playScenarioFile } from '../../src/proof/testkit/scenario.ts';
import { loadScenario, scenarioFrom } from '../../src/proof/testkit/scenario-file.ts';
import { testFromCall } from '../../src/proof/workbench/test-from-call.ts';
import { testText } from '../../src/proof/workbench/test-text.ts';
import type { JournalEntry } from '../../src/service/runtime/journal.ts';
import { verbs } from '../../src/verbs/steps.ts';

const library = new FlowLibrary(verbs).load('flows').loadBuiltIn();

async function played(flow: string, form: JsonObject): Promise<JournalEntry[]> {
  const { scenario } = scenarioFrom({ test: 'a call', flow, ...form }, 'call');
  const report = await playScenario(scenario!, library.get(flow)!, { flow: (name) => library.find(name) });
  expect(report.failures).toEqual([]);
  return report.journal;
}

/** Converts a call to a test, which must pass. */
async function takenOver(flow: string, form: JsonObject) {
  const { toFill, ...made } = testFromCall(await played(flow, form), 'taken over');
  const text = testText(made.form);
  const { scenario, diagnostics } = loadScenario(text, 'taken-over.test.yaml');
  expect(diagnostics).toEqual([]);
  const report = await playScenario(scenario!, library.get(flow)!, { flow: (name) => library.find(name) });
  return { text, toFill, report, lacks: made.lacks };
}

const KEYS: [title: string, flow: string, form: JsonObject][] = [
  [
    'keys after the prompts',
    'welcome-menu',
    { script: press(['choices', '1'], ['choices', '2'], ['ask_extension', '4711#'], ['choices', '0']) },
  ],
  ['a key into a prompt', 'welcome-menu', { script: [{ hear: 'choices' }, { press: { digits: '0', at: '2s' } }] }],
  ['silence', 'welcome-menu', { script: [] }],
  ['a hang-up', 'welcome-menu', { script: [{ hear: 'choices' }, { hang_up: { at: '3s' } }] }],
  [
    'requests',
    'order-status',
    {
      mocks: { look_up: [{ status: 404 }, { status: 200, body: { state: 'packed' } }] },
      script: press(['ask_order', '111111'], ['ask_order', '222222']),
    },
  ],
  [
    'a request that fails',
    'order-status',
    { mocks: { look_up: { network: true } }, script: press(['ask_order', '111111']) },
  ],
];

function press(...each: [heard: string, keys: string][]): Json[] {
  return each.flatMap(([hear, keys]): Json[] => [{ hear }, { press: keys }]);
}

describe('a call that is taken over', () => {
  test.each(KEYS)('passes as a test: %s', async (_title, flow, form) => {
    const { report, toFill, lacks } = await takenOver(flow, form);
    expect(report.failures).toEqual([]);
    expect([toFill, lacks]).toEqual([[], []]);
  });

  test('names what is masked, and still can be read', async () => {
    const { journal } = await playScenarioFile('flows/pin-entry.test.yaml');
    const { form, toFill } = testFromCall(journal, 'masked');
    expect(toFill[0]).toMatch(/^script\[\d+\]\.press$/);
    expect(loadScenario(testText(form), 'x').diagnostics).toEqual([]);
  });
});

describe('the text of a test', () => {
  test('has a line for each act, and quotes what others would take for something else', () => {
    const form: JsonObject = {
      test: 'yes',
      flow: 'x',
      script: [{ press: '1' }, { hear: 'on' }, 'silence'],
      expect: { path: ['a', 'no'] },
    };
    const text = testText(form, ['two\nlines']);
    expect(text).toBe(
      '# two lines\ntest: "yes"\nflow: x\nscript:\n  - press: "1"\n  - hear: "on"\n  - silence\nexpect:\n  path: [ a, "no" ]\n',
    );
    expect(loadScenario(text, 'x').diagnostics).toEqual([]);
  });
});

test('includes SIP headers, except for those that name people', async () => {
  const headers = { 'X-Customer': '17', Diversion: '<sip:+4477@pbx>', 'X-Caller': 'tel:+33612345678' };
  const { text, lacks, report } = await takenOver('welcome-menu', { call: { headers }, script: [] });
  expect(report.failures).toEqual([]);
  expect(text).toMatch(/headers: *\n? *\{? *x-customer: "17"/);
  expect(text).not.toMatch(/4477|33612345678/);
  expect(lacks).toEqual([
    'the SIP header diversion, which names a person',
    'the SIP header x-caller, which names a person',
  ]);
});
