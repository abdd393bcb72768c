/** Scenarios with several parties: syntax of their files, and messages for invalid and failed ones. */
import { describe, expect, it } from 'vitest';
import { loadScenario } from '../../src/proof/testkit/scenario-file.ts';
import { rehearse, succeeds } from '../scenarios/rehearse.ts';

const ALICE = '"user:alice"';
const flow = `
flow: office
start: connect
prompts: { whisper: A call for you }
steps:
  connect: { bridge: { to: ${ALICE}, whisper: whisper, record: dual }, exits: { completed: bye, failed: bye, error: bye } }
  bye: { hangup: normal }
`;
const met = `mocks: { bridge: { ${ALICE}: { answer_after: 2s, talk: 10s } } }\n`;

describe('a file with errors', () => {
  it.each([
    ['call: { callee: buzy }', 3, 'wrong-value', /must be one of answer/, 'did you mean busy?'],
    ['mocks: { bridge: { x: { answer_aftr: 1s } } }', 3, 'unknown-key', /answer_aftr/, 'did you mean answer_after?'],
    ['mocks: { bridge: { x: { answer_after: 4 } } }', 3, 'duration', /unit/, 'write 4s or 4ms'],
    ['mocks: { bridge: { x: { presses: 1 } } }', 3, 'digit', /quotes/, 'write "1"'],
    ['mocks: { bridge: { x: [busy, { tlk: 1s }] } }', 3, 'unknown-key', /tlk/, 'did you mean talk?'],
    ['mocks: { bridge: { x: { busy_after: 1s, talk: 3s } } }', 3, 'wrong-value', /busy_after has no talk/, undefined],
    [
      'mocks: { bridge: { x: { no_answer: true, sip_status: 404 } } }',
      3,
      'wrong-value',
      /has no sip_status/,
      undefined,
    ],
    ['mocks: { bridge: { x: { greeting: 3s } } }', 3, 'wrong-value', /for machines/, 'add is: machine'],
    ['mocks: { bridge: { x: { refers_after: 3s } } }', 3, 'wrong-value', /refers_to/, undefined],
    ['mocks: { step: { statsu: 200 } }', 3, 'unknown-key', /statsu/, 'did you mean status?'],
    ['script: [{ call: ann }]', 3, 'wrong-value', /no caller ann/, 'there is no caller in this test'],
    [
      'callers: { anna: { from: "1" } }\nscript: [{ call: ann }]',
      4,
      'wrong-value',
      /no caller ann/,
      'did you mean anna?',
    ],
    ['callers: { anna: { to: "1" } }', 3, 'missing-key', /from/, undefined],
    [
      'mocks: { bridge: { "user:bob": busy } }\nscript:\n  - party: { "user:bib": hang_up }',
      5,
      'wrong-value',
      /no party user:bib/,
      'did you mean user:bob?',
    ],
    ['script: [{ talks_with: nobody }]', 3, 'wrong-value', /no party nobody/, 'there are caller'],
    ['script: [{ party: { caller: { hear: a, press: "1" } } }]', 3, 'wrong-value', /one act/, undefined],
    ['script: [{ party: { caller: silence } }]', 3, 'wrong-value', /one of hang_up/, undefined],
    ['script: [{ party: { caller: [{ call: ann }] } }]', 3, 'unknown-key', /call/, undefined],
    ['script: [{ command: { hold: "yes" } }]', 3, 'wrong-type', /./, undefined],
    ['script: [{ command: { recording: begin } }]', 3, 'wrong-value', /start/, undefined],
    ['expect: { parties: { x: { herd: [] } } }', 3, 'unknown-key', /herd/, 'did you mean heard?'],
  ])('rejects the text %s', (text, line, code, message, hint) => {
    const { scenario, diagnostics } = loadScenario(`test: x\nflow: office\n${text}`, 'x.test.yaml');
    expect(scenario).toBeUndefined();
    expect(diagnostics).toHaveLength(1);
    expect(diagnostics[0]).toMatchObject({ file: 'x.test.yaml', line, code, message: expect.stringMatching(message) });
    if (hint !== undefined) expect(diagnostics[0]!.hint).toBe(hint);
  });
});

describe('a scenario that is not met says what was expected and what happened', () => {
  it.each([
    ['dialled: []', 'nothing', 'user:alice'],
    ['bridged_with: ["user:bob"]', 'user:bob', 'user:alice'],
    ['talked_with: ["user:bob"]', 'user:bob', 'user:alice'],
    ['states: [disconnected]', 'disconnected', /^incomingcall → connected/],
    ['recordings: []', 'nothing', '{"state":"completed","duration":"9s"}'],
    ['recordings: [{ name: talk }]', '{"name":"talk"}', /completed/],
    ['streams: [{ state: stream_started }]', '{"state":"stream_started"}', 'nothing'],
    ['transcripts: [inbound]', 'inbound', 'nothing'],
    ['venues: [{ event: joined }]', '{"event":"joined"}', 'nothing'],
    ['parties: { "user:bob": { heard: [] } }', 'a call of user:bob', 'there were user:alice'],
    [`parties: { ${ALICE}: { heard: [] } }`, 'nothing', 'whisper'],
    [`parties: { ${ALICE}: { talked_with: [] } }`, 'nothing', 'caller'],
    [`parties: { ${ALICE}: { ended: 17 } }`, '17', '16'],
    [`parties: { ${ALICE}: { ended: User Busy } }`, 'User Busy', 'Normal Clearing'],
    [`parties: { ${ALICE}: { received_digits: "1" } }`, '1', ''],
  ])('reports the unmet expectation %s', async (expected, wanted, actual) => {
    const report = await rehearse(flow, `${met}expect:\n  ${expected}`);
    expect(report.failures).toHaveLength(1);
    const [failure] = report.failures;
    expect(failure!.expected).toBe(wanted);
    if (typeof actual === 'string') expect(failure!.actual).toBe(actual);
    else expect(failure!.actual).toMatch(actual);
    expect(failure!.place).toMatchObject({ file: 'rehearsal.test.yaml', line: 5 });
  });

  it('passes each of them when met', async () => {
    await succeeds(
      flow,
      `${met}expect:
  dialled: [${ALICE}]
  bridged_with: [${ALICE}]
  talked_with: [${ALICE}]
  recordings: [{ state: completed }]
  streams: []
  transcripts: []
  venues: []
  parties: { ${ALICE}: { heard: [whisper], talked_with: [caller], ended: Normal Clearing, received_digits: "" } }
`,
    );
  });

  it.each([
    ['{ talks_with: "user:bob" }', 'to talk with user:bob', 'it heard user:alice until the call ended'],
    [`{ party: { ${ALICE}: { hear: goodbye } } }`, 'to hear goodbye', 'it heard whisper until the call ended'],
    ['{ party: { "user:bob": hang_up } }', 'a call of user:bob', 'there was none until the call ended'],
    [
      `{ talks_with: ${ALICE} }, { command: { hold: true, refused: ended } }`,
      'a hold that was refused: ended',
      'it was accepted',
    ],
    [`{ wait: 30s }, { party: { ${ALICE}: { press: "1" } } }`, 'to press 1', 'the call was over'],
  ])('reports the blocked script: %s', async (script, expected, actual) => {
    const mocks = `mocks: { bridge: { ${ALICE}: { answer_after: 2s, talk: 10s }, "user:bob": busy } }`;
    const report = await rehearse(flow, `${mocks}\nscript: [${script}]`);
    expect(report.failures).toMatchObject([{ what: 'the script', expected, actual, place: { line: 4 } }]);
  });

  it('reports a caller whose flow does not exist', async () => {
    const report = await rehearse(flow, `callers: { ann: { from: "1", flow: nowhere } }\nscript: [{ call: ann }]`);
    expect(report.failures[0]).toMatchObject({ expected: 'the flow nowhere', place: { line: 3 } });
  });
});
