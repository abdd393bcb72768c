import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { possibleOutcomes } from '../../src/language/flow/possible-outcomes.ts';
import { playScenarioFile, runScenarioFile } from '../../src/proof/testkit/scenario.ts';
import { loadScenario } from '../../src/proof/testkit/scenario-file.ts';
import { formatReport } from '../../src/proof/testkit/scenario-report.ts';
import { stepsByVerb } from '../../src/verbs/steps.ts';
import { rehearse, succeeds } from '../scenarios/rehearse.ts';

const flow = `
flow: shop
vars: { order: { type: string }, pin: { type: string, sensitive: true } }
start: ask
prompts: { ask: { text: "Your order number please" }, done: Thank you }
steps:
  ask:
    collect: { prompt: ask, digits: { length: 3 }, attempts: 1, start_timeout: 5s }
    set: { order: "\${ result.digits }" }
    exits: { collected: look_up, exhausted: bye, error: bye }
  look_up:
    request: { get: "http://shop.example/\${ vars.order }", timeout: 2s }
    exits: { ok: done, not_found: bye, failed: bye, error: bye }
  done: { play: done, exits: { done: told, error: bye } }
  told: { notify: { event: sold, body: { order: "\${ vars.order }" } }, next: bye }
  bye: { hangup: normal }
`;
const met = `
mocks: { look_up: { status: 200, after: 1500ms } }
script: [{ hear: ask }, { press: "123" }]
`;

describe('a press in the first line', () => {
  const welcome = flow
    .replace('start: ask', 'start: hello')
    .replace('steps:', 'steps:\n  hello: { play: Welcome to the shop, exits: { done: ask, error: bye } }');
  const answer = 'mocks: { look_up: { status: 200 } }';

  it('waits for the first question, and cuts no prompt before it', async () => {
    await succeeds(
      welcome,
      `${answer}\nscript: [{ press: "123" }]\nexpect: { path: [hello, ask, look_up, done, told, bye], heard: [Welcome to the shop, ask, done], duration: { min: 3s } }`,
    );
  });

  it('is pressed early if it has a time', async () => {
    await succeeds(
      welcome,
      `${answer}\nscript: [{ press: { digits: "123", at: 500ms } }]\nexpect: { outcomes: { ask: collected }, duration: { max: 3s } }`,
    );
  });
});

describe('a scenario that is not met says what was expected and what happened', () => {
  it.each([
    ['path: [ask, done]', 'ask → done', 'ask → look_up → done → told → bye'],
    ['outcomes: { ask: exhausted.no_input }', 'exhausted.no_input', 'collected'],
    ['outcomes: { asc: collected }', 'a step of the flow', 'the flow has no step asc'],
    ['visits: { bye: 2 }', '2', '1'],
    ['retries: { look_up: 1 }', '1', '0'],
    ['heard: [ask]', 'ask', 'ask → done'],
    ['dead_air: { max: 1s }', 'at most 1s', '1.5s of nothing from 2.114s on, in step look_up'],
    [
      'never: { trace_contains: shop.example }',
      '"shop.example" nowhere in the journal',
      'it is in entry 18 (rendered)',
    ],
    ['never: { visited: told }', 'no visit of told', 'it was visited'],
    ['never: { heard: done }', 'never done', 'ask → done'],
    ['ended: hangup', 'hangup', 'completed'],
    ['ended: { cause: 17 }', '17', '16'],
    ['ended: { cause: User Busy }', 'User Busy', 'Normal Clearing'],
    ['vars: { order: "124" }', '124', '123'],
    ['vars: { oder: "123" }', 'a variable of the flow', 'the flow has no variable oder'],
    ['vars: { pin: "1" }', '1', 'null'],
    ['output: 1', '1', 'null'],
    ['notified: [bought]', 'bought', 'sold'],
    ['notified: []', 'nothing', 'sold'],
    ['notified: [{ event: sold, body: { order: "124" } }]', 'sold {"order":"124"}', 'sold {"order":"123"}'],
    ['requests: [{ step: look_up, method: POST }]', '{"step":"look_up","method":"POST"}', /"method":"GET"/],
    ['received_digits: "1"', '1', ''],
    ['duration: 1s', '1s', '4.257s'],
    ['duration: { min: 1m }', '1m to any', '4.257s'],
  ])('reports the unmet expectation %s', async (expected, wanted, actual) => {
    const report = await rehearse(flow, `${met}expect:\n  ${expected}`);
    expect(report.ok).toBe(false);
    expect(report.failures).toHaveLength(1);
    const [failure] = report.failures;
    expect(failure!.expected).toBe(wanted);
    if (typeof actual === 'string') expect(failure!.actual).toBe(actual);
    else expect(failure!.actual).toMatch(actual);
    // The line of the file: below `expect:`.
    expect(failure!.place).toMatchObject({ file: 'rehearsal.test.yaml', line: 7 });
  });

  it('passes each of them when met', async () => {
    await succeeds(
      flow,
      `${met}
expect:
  path: [ask, look_up, done, told, bye]
  outcomes: { ask: collected, look_up: [ok] }
  visits: { bye: 1 }
  retries: { look_up: 0 }
  heard: [ask, Thank you]
  dead_air: { max: 1500ms }
  never: { trace_contains: [secret, hidden], visited: [nowhere], heard: [sorry] }
  ended: { reason: completed, cause: Normal Clearing, state: disconnected, fault: none }
  vars: { order: "123" }
  notified: [{ event: sold, body: { order: "123" } }]
  requests: [{ step: look_up, method: GET, url: "http://shop.example/123" }]
  received_digits: ""
  duration: 4257ms
`,
    );
  });

  it('shows the events with the place marked', async () => {
    const report = await rehearse(flow, `${met}expect: { outcomes: { look_up: not_found } }`);
    const text = formatReport(report);
    expect(text).toContain('FAILED a rehearsal');
    expect(text).toContain('rehearsal.test.yaml:6:23 the outcome of look_up');
    expect(text).toMatch(/▶ +\d+ +3\.614 {2}look_up: ok/);
  });
});

describe('reports where a script is blocked', () => {
  it.each([
    ['[{ hear: sorry }]', 'to hear sorry', 'it heard ask until the call ended'],
    ['[{ hear: ask }, { hear: [done, done] }]', 'to hear done', 'nothing more was heard until the call ended'],
    ['[{ hear: ask }, silence, { press: "1" }]', 'to press 1', 'the call was over'],
    ['[hang_up, { speak: 1s }]', 'to speak', 'the call was over'],
    ['[hang_up, hang_up]', 'to hang up', 'the call was over'],
    [
      '[{ hear: ask }, { command: { event: { name: x } } }]',
      'a event that was accepted',
      'it was refused: not_accepted_here',
    ],
    [
      '[{ hear: ask }, { command: { hangup: {}, refused: ended } }]',
      'a hangup that was refused: ended',
      'it was accepted',
    ],
  ])('reports the blocked script %s', async (script, expected, actual) => {
    const report = await rehearse(flow, `mocks: { look_up: {} }\nscript: ${script}`);
    expect(report.failures).toMatchObject([{ what: 'the script', expected, actual, place: { line: 4 } }]);
  });

  it('fails and ends a call that would last forever', async () => {
    const endless = `
flow: endless
start: idle
steps:
  idle: { wait_for: { events: [never] }, exits: { never: bye } }
  bye: { hangup: normal }
`;
    const report = await rehearse(endless, 'script: [{ wait: 1s }]\nlimit: 2m');
    expect(report.failures).toMatchObject([{ what: 'the call', actual: 'after 2m it still is in step idle' }]);
    expect(report.journal.at(-1)?.kind).toBe('ended');
  });

  it('looks for each prompt behind the previous one', async () => {
    const twice = `
flow: twice
start: one
steps:
  one: { play: { text: "A word" }, exits: { done: two, error: bye } }
  two: { play: { text: "A word" }, exits: { done: bye, error: bye } }
  bye: { hangup: normal }
`;
    await succeeds(twice, 'script: [{ hear: [A word, A word] }]');
    expect((await rehearse(twice, 'script: [{ hear: [A word, A word, A word] }]')).ok).toBe(false);
  });
});

describe('mocks', () => {
  it.each([
    ['', 'an answer in `mocks` for every request', 'there is none'],
    ['mocks: { look_up: [] }', 'an answer in `mocks` for every request', 'there is none'],
    ['mocks: { look_up: {}, lookup: {} }', 'steps that make requests', 'the flow has no step lookup'],
  ])('reports the mistake in "%s"', async (mocks, expected, actual) => {
    const report = await rehearse(flow, `${mocks}\nscript: [{ hear: ask }, { press: "123" }]`);
    expect(report.failures).toMatchObject([{ expected, actual }]);
  });
});

describe('answers by the outcome that they make', () => {
  const steps = `flow: asks
start: look_up
steps:
  look_up:
    request: { get: "https://shop.example/", timeout: 1s }
    exits: { ok: bye, not_found: bye, failed: bye }
  bye: { hangup: normal }
`;
  it.each(possibleOutcomes(stepsByVerb.get('request')!, {}))('checks the scenario: %s', async (outcome) => {
    const report = await rehearse(
      steps,
      `mocks: { look_up: ${outcome} }\nexpect: { outcomes: { look_up: ${outcome} } }`,
    );
    expect(report.failures).toEqual([]);
  });

  it('returns them one after the other, mixed with literal ones', async () => {
    const retrying = steps.replace('timeout: 1s', 'timeout: 1s, retry: { times: 2 }');
    const mocks = 'mocks: { look_up: [failed.timeout, failed.5xx, { status: 201 }] }';
    const report = await rehearse(retrying, `${mocks}\nexpect: { outcomes: { look_up: ok }, retries: { look_up: 2 } }`);
    expect(report.failures).toEqual([]);
  });
});

describe('a file', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'callweave-scenario-'));
  });
  afterEach(() => rmSync(directory, { recursive: true }));
  const write = (name: string, text: string): string => {
    const file = join(directory, name);
    writeFileSync(file, text);
    return file;
  };

  it.each([
    ['flow: shop', 1, 'missing-key', /test/],
    ['test: x\nflow: shop\nscrip: []', 3, 'unknown-key', /scrip/],
    ['test: x\nflow: shop\nscript:\n  - press: 1', 4, 'digit', /quotes/],
    ['test: x\nflow: shop\nscript:\n  - wait: 3', 4, 'duration', /unit/],
    ['test: x\nflow: shop\nscript:\n  - hangup', 4, 'wrong-value', /one of/],
    ['test: x\nflow: shop\nscript:\n  - { hear: a, press: "1" }', 4, 'wrong-value', /one act/],
    ['test: x\nflow: shop\nat: 2026-03-02', 3, 'wrong-value', /time zone/],
    ['test: x\nflow: shop\nat: 2026-13-02T10:00:00Z', 3, 'wrong-value', /not a valid date/],
    ['test: x\nflow: shop\nexpect: { ended: done }', 3, 'wrong-value', /one of/],
    ['test: [', 1, 'yaml-syntax', /./],
  ])('rejects the text "%s"', (text, line, code, message) => {
    const { scenario, diagnostics } = loadScenario(text, 'x.test.yaml');
    expect(scenario).toBeUndefined();
    expect(diagnostics).toHaveLength(1);
    expect(diagnostics[0]).toMatchObject({ file: 'x.test.yaml', line, code, message: expect.stringMatching(message) });
  });

  it('finds its flow beside it by name, or by a path', async () => {
    write('shop.flow.yaml', flow);
    const byName = write('a.test.yaml', `test: a\nflow: shop${met}`);
    expect(await runScenarioFile(byName)).toMatchObject({ ok: true, name: 'a', file: byName, durationMs: 4_257 });
    const byPath = write('b.test.yaml', `test: b\nflow: ./shop.flow.yaml${met}`);
    expect(await runScenarioFile(byPath)).toMatchObject({ ok: true });
  });

  it('says which flows there are when its own is not', async () => {
    write('shop.flow.yaml', flow);
    const report = await playScenarioFile(write('a.test.yaml', 'test: a\nflow: shoop'));
    expect(report).toMatchObject({ ok: false, journal: [] });
    expect(report.diagnostics).toMatchObject([{ code: 'unknown-flow', line: 2, hint: 'there are shop' }]);
    await expect(runScenarioFile(join(directory, 'a.test.yaml'))).rejects.toThrow(/there is no flow shoop/);
  });

  it('says what is wrong with its flow', async () => {
    write('shop.flow.yaml', flow.replace('next: bye', 'next: by'));
    const report = await playScenarioFile(write('a.test.yaml', 'test: a\nflow: shop'));
    expect(report.diagnostics[0]).toMatchObject({ code: 'unknown-target', severity: 'error' });
  });
});
