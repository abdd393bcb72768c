/** Forms of files that projects have: comments, older exports, short notations, and files of related programs. */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/core/json.ts';
import { importFiles } from '../../src/language/importers/import-files.ts';
import { verbs } from '../../src/verbs/steps.ts';
import { callweave, folderOf } from '../cli/command.ts';
import { errorsOf, imported } from './imported.ts';

const END = '$end';

describe('JSON with comments', () => {
  it('is imported with the locations of its text', () => {
    const text = `// The menu.\n[\n  /* said first\n     of all */ { "action": "talk", "text": "See https://a.example // now" },\n  { "action": "wobble" }, // later\n]`;
    const { nodes, steps } = imported({ 'a.json': text });
    expect(steps['say_see_https_a_example']).toMatchObject({ play: 'See https://a.example // now' });
    expect(nodes.map(({ kind, line, column }) => [kind, line, column])).toEqual([
      ['talk', 4, 16],
      ['wobble', 5, 3],
    ]);
  });

  it('is read in linear time if a comment does not end', () => {
    const started = process.cpuUsage();
    importFiles([{ file: 'a.json', text: `[${'/*"'.repeat(300_000)}` }], { verbs });
    expect(process.cpuUsage(started).user).toBeLessThan(5_000_000);
  });
});

describe('jambonz verbs', () => {
  it.each<[string, unknown]>([
    ['a single verb', { verb: 'say', text: 'Hello there.' }],
    ['a single verb in the short form', { say: { text: 'Hello there.' } }],
    ['a list in the short form', [{ say: { text: 'Hello there.' } }]],
  ])('treats %s as a list of one', (_, document) => {
    const result = imported({ 'a.json': JSON.stringify(document) });
    expect(result.format).toBe('jambonz');
    expect(result.steps).toEqual({ say_hello_there: { play: 'Hello there.', next: END } });
  });

  it('recognises those of a Node-RED flow, and says what to save', () => {
    const nodes = [
      { id: 't1', type: 'tab', label: 'Calls' },
      { id: 'n1', type: 'webhook in', z: 't1', wires: [['n2']] },
      { id: 'n2', type: 'say', z: 't1', text: 'Hello', wires: [[]] },
    ];
    const { diagnostics } = importFiles([{ file: 'flows.json', text: JSON.stringify(nodes) }], { verbs });
    expect(diagnostics).toMatchObject([
      {
        code: 'unknown-format',
        message: expect.stringContaining('Node-RED'),
        hint: expect.stringContaining('save each answer'),
      },
    ]);
  });
});

const moduleOf = (id: string, type: string, next: Record<string, string>, more: JsonObject = {}): JsonObject => ({
  ...{ id, type, parameters: [], metadata: { position: { x: 1, y: 2 } } },
  branches: Object.entries(next).map(([condition, transition]) => ({ condition, transition })),
  ...more,
});

const older = (...modules: JsonObject[]): string =>
  JSON.stringify(
    {
      modules,
      version: '1',
      type: 'contactFlow',
      start: modules[0]!['id'],
      metadata: { name: 'Box office', hash: 'ab' },
    },
    null,
    1,
  );
const spoken = (value: string): JsonObject => ({
  parameters: [
    { name: 'Text', value, namespace: null },
    { name: 'TextToSpeechType', value: 'text' },
  ],
});

describe('the older export of Amazon Connect', () => {
  const ASK = moduleOf(
    'b',
    'GetUserInput',
    {},
    {
      target: 'Digits',
      parameters: [
        { name: 'Text', value: 'Press one.' },
        { name: 'Timeout', value: '7' },
        { name: 'MaxDigits', value: '1' },
      ],
      branches: [
        { condition: 'Evaluate', conditionType: 'Equals', conditionValue: '1', transition: 'c' },
        { condition: 'Timeout', transition: 'z' },
        { condition: 'NoMatch', transition: 'z' },
      ],
    },
  );
  const FLOW = older(
    moduleOf('a', 'PlayPrompt', { Success: 'b' }, spoken('Welcome to the theatre.')),
    ASK,
    moduleOf(
      'c',
      'SetAttributes',
      { Success: 'd', Error: 'z' },
      {
        parameters: [{ name: 'Attribute', key: 'state', value: 'State', namespace: 'External' }],
      },
    ),
    moduleOf(
      'd',
      'CheckAttribute',
      {},
      {
        parameters: [
          { name: 'Attribute', value: 'state' },
          { name: 'Namespace', value: 'User Defined' },
        ],
        branches: [
          { condition: 'Evaluate', conditionType: 'Equals', conditionValue: 'open', transition: 'e' },
          { condition: 'NoMatch', transition: 'z' },
        ],
      },
    ),
    moduleOf(
      'e',
      'SetQueue',
      { Success: 'f' },
      {
        parameters: [{ name: 'Queue', value: 'arn:aws:connect:x/queue/1', resourceName: 'Tickets' }],
      },
    ),
    moduleOf('f', 'Transfer', { AtCapacity: 'z' }, { target: 'Queue' }),
    moduleOf('z', 'Disconnect', {}),
  );

  it('is imported as the flow language of today', () => {
    const result = imported({ 'box.json': FLOW });
    expect(result.format).toBe('amazon-connect');
    expect(result.diagnostics).toEqual([]);
    expect(result.nodes.map(({ fidelity }) => fidelity)).toEqual(Array(7).fill('exact'));
    expect(errorsOf(result)).toEqual([]);
    expect(Object.values(result.steps)).toMatchObject([
      { play: 'Welcome to the theatre.' },
      { menu: { prompt: 'Press one.', start_timeout: '7s', choices: { key_1: { dtmf: '1' } } } },
      { set: { state: '${ vars.external.State }' } },
      { branch: [{ when: "$string(vars.state) = 'open'" }, {}] },
      { set: { target_queue: 'Tickets' } },
      { queue: { name: '${ vars.target_queue }' } },
      { hangup: 'normal' },
    ]);
  });

  it('keeps the routes of a module that is not known', () => {
    const result = imported({
      'box.json': older(moduleOf('a', 'Wobble', { Success: 'b', Error: 'b' }), moduleOf('b', 'Disconnect', {})),
    });
    expect(result.nodes[0]).toMatchObject({ kind: 'Wobble', line: 3, fidelity: 'todo' });
    expect(Object.values(result.steps)[0]).toMatchObject({ exits: { done: 'b', no_matching_error: 'b' } });
  });

  it('reports a parameter that is not known at its place', () => {
    const say = moduleOf(
      'a',
      'PlayPrompt',
      {},
      {
        parameters: [
          { name: 'Text', value: 'Hello there.' },
          { name: 'Mood', value: 'happy' },
        ],
      },
    );
    const { diagnostics, nodes } = imported({ 'box.json': older(say) });
    expect(nodes[0]!.fidelity).toBe('workaround');
    expect(diagnostics).toMatchObject([{ code: 'not-imported', message: expect.stringContaining('Parameters.Mood') }]);
    expect(diagnostics[0]!.line).toBeGreaterThan(nodes[0]!.line);
  });
});

describe('callweave import', () => {
  it('names every format in its help', async () => {
    const { out } = await callweave(['import', '--help']);
    for (const name of ['TwiML', 'Twilio Studio', 'Amazon Connect', 'NCCO', 'jambonz', 'SWML', 'VoiceXML']) {
      expect(out.replaceAll(/\s+/g, ' ')).toContain(name);
    }
  });

  it('prints a key that is not imported at its place', async () => {
    using folder = folderOf({ 'a.json': '[\n  { "action": "talk", "text": "Hi there.",\n    "mood": "happy" }\n]' });
    const { code, out } = await callweave(['import', 'a.json'], { cwd: folder.path });
    expect(code).toBe(0);
    expect(out).toContain('a.json:3:5 warning not-imported: `mood` of `talk` is not imported');
    expect(out).toContain('1 node: 0 exact, 1 nearly, 0 to do');
  });
});
