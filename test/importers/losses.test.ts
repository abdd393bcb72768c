/** Losses of importers: each is in the report, and the surroundings of a `todo` step stay reachable. */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/core/json.ts';
import { importFiles } from '../../src/language/importers/import-files.ts';
import { verbs } from '../../src/verbs/steps.ts';
import { callweave, folderOf } from '../cli/command.ts';
import { errorsOf, imported } from './imported.ts';

const ncco = (...actions: JsonObject[]) => ({ 'a.json': JSON.stringify(actions) });
const jambonz = (...list: JsonObject[]) => ({ 'a.json': JSON.stringify(list) });
const swml = (...main: JsonObject[]) => ({ 'a.json': JSON.stringify({ version: '1.0.0', sections: { main } }) });
const twiml = (verbsOf: string) => ({ 'a.xml': `<Response>${verbsOf}</Response>` });
const vxml = (content: string) => ({ 'a.vxml': `<vxml version="2.1">${content}</vxml>` });
const connect = (...actions: [type: string, parameters: object, more?: object][]) => ({
  'a.json': JSON.stringify({
    ...{ Version: '2019-10-30', StartAction: 'a0' },
    Actions: [
      ...actions.map(([Type, Parameters, more], index) => {
        const NextAction = index + 1 < actions.length ? `a${index + 1}` : 'z';
        return { Identifier: `a${index}`, Type, Parameters, Transitions: { NextAction, ...more } };
      }),
      { Identifier: 'z', Type: 'DisconnectParticipant', Parameters: {}, Transitions: {} },
    ],
  }),
});

type Files = Readonly<Record<string, string>>;

/** Format, node, and the start of the note about its loss. */
const LOSSES: [what: string, files: Files, node: number, note: string][] = [
  [
    'a second question of a payment for the same part',
    swml({
      pay: {
        payment_connector_url: 'https://a.example/pay',
        prompts: [
          { for: 'security-code', error_type: 'timeout', actions: [{ type: 'Say', phrase: 'Too late.' }] },
          { for: 'security-code', actions: [{ type: 'Say', phrase: 'The code, please.' }] },
        ],
      },
    }),
    0,
    'it says its own words for security-code',
  ],
  ['the direction of a recording', swml({ record_call: { direction: 'speak' } }), 0, 'both directions are recorded'],
  [
    'the attributes of a task',
    twiml('<Enqueue workflowSid="WW1"><Task>{"a":1}</Task></Enqueue>'),
    1,
    'the attributes of the task',
  ],
  [
    'a repeated sound of a question',
    jambonz({ verb: 'gather', say: { text: 'Hi there.', loop: 'forever' } }),
    1,
    'it is said 20 times',
  ],
  ['the format of a recording', ncco({ action: 'record', format: 'mp3' }), 0, 'the recording is a WAV file'],
  [
    'analytics of conversations',
    connect(['UpdateContactRecordingBehavior', { AnalyticsBehavior: { Enabled: 'True' } }]),
    0,
    'conversations are not analysed',
  ],
];

describe('a loss', () => {
  it.each(LOSSES)('is noted for %s', (_, files, node, note) => {
    const { nodes } = imported(files);
    expect(nodes[node]).toMatchObject({
      fidelity: 'workaround',
      notes: expect.arrayContaining([expect.stringContaining(note)]),
    });
  });

  it('does not make the words for an error the first question', () => {
    const [, files] = LOSSES[0]!;
    expect(imported(files).steps['pay']).toMatchObject({ pay: { prompts: { security_code: 'The code, please.' } } });
  });

  it('is none for the language of a payment, which its questions have', () => {
    const prompts = [{ for: 'security-code', actions: [{ type: 'Say', phrase: 'Den Code, bitte.' }] }];
    const { steps } = imported(
      swml({ pay: { payment_connector_url: 'https://a.example/p', language: 'de-DE', prompts } }),
    );
    expect(steps['pay']).toMatchObject({
      pay: { prompts: { security_code: { text: 'Den Code, bitte.', language: 'de-DE' } } },
    });
  });

  it.each<[string, Files, JsonObject]>([
    [
      'the length of a recording',
      swml({ record_call: { max_length: 90 } }),
      { recording: { action: 'start', max_length: '90s' } },
    ],
    [
      'the priority of a task',
      twiml('<Enqueue workflowSid="WW1"><Task priority="7" timeout="60"/></Enqueue>'),
      { queue: { priority: 7, timeout: '60s' } },
    ],
    [
      'the words of a payment',
      twiml('<Pay chargeAmount="5"><Prompt for="postal-code"><Say>Your postcode?</Say></Prompt></Pay>'),
      { pay: { prompts: { postal_code: 'Your postcode?' } } },
    ],
    [
      'a prompt that the call knows',
      connect(['MessageParticipant', { PromptId: '$.Attributes.sound' }]),
      { play: { audio: '${ vars.sound }' } },
    ],
    [
      'a value of the deployment',
      connect(['MessageParticipant', { Text: 'Hi ${company}!' }]),
      { play: 'Hi ${ env.company }!' },
    ],
  ])('is none for %s', (_, files, step) => {
    const result = imported(files);
    expect(Object.values(result.steps)[0]).toMatchObject(step);
    expect(errorsOf(result)).toEqual([]);
  });

  it('is none for the result of a transfer by SIP, which conditions read', () => {
    const hangUp = { hangup: {} };
    const result = imported(
      swml(
        { sip_refer: { to_uri: 'sip:a@b.example' } },
        { switch: { variable: 'sip_refer_result', case: { success: [hangUp] }, default: [hangUp] } },
      ),
    );
    expect(result.steps['refer']).toMatchObject({
      set: { sip_refer_result: 'success' },
      exits: { failed: 'refer_failed' },
    });
    expect(result.steps['refer_failed']).toMatchObject({ set: { sip_refer_result: 'failed' } });
  });

  it('is none for 200 attributes, which flows hand over as one value', () => {
    const all = Object.fromEntries(Array.from({ length: 200 }, (_each, index) => [`a${index}`, String(index)]));
    const files = {
      ...connect(['UpdateContactAttributes', { Attributes: all }], ['TransferToFlow', { ContactFlowId: 'x/m' }]),
      'm.json': connect(['MessageParticipant', { Text: 'You have $.Attributes.a199.' }])['a.json'],
    };
    expect(errorsOf(imported(files))).toEqual([]);
  });
});

describe('a part that must be written by hand', () => {
  it('leaves the other choices of a VoiceXML menu as they are', () => {
    const result = imported(
      vxml(`<menu id="m"><prompt>Choose.</prompt>
        <choice dtmf="1" next="#one">first</choice>
        <choice dtmf="2" next="#two"><grammar src="https://a.example/x.grxml"/>second</choice>
        <choice next="#three"><grammar src="https://a.example/y.grxml"/></choice></menu>
        ${['one', 'two', 'three'].map((id) => `<form id="${id}"><block>This is ${id} here.</block></form>`).join('')}`),
    );
    expect(result.nodes.filter(({ fidelity }) => fidelity === 'todo').map(({ kind }) => kind)).toEqual([
      'grammar',
      'grammar',
    ]);
    expect(result.nodes.filter(({ fidelity }) => fidelity === 'none')).toEqual([]);
    expect(result.steps['m']).toMatchObject({
      menu: { choices: { first: { dtmf: '1', say: ['first'] }, second: { dtmf: '2', say: ['second'] } } },
      exits: { first: 'say_this_is_one_here', second: 'say_this_is_two_here' },
    });
    const todos = Object.values(result.steps).filter((step) => step['todo'] !== undefined);
    expect(JSON.stringify(todos)).toContain('say_this_is_three_here');
    expect(errorsOf(result).every((error) => error.startsWith('todo: '))).toBe(true);
  });

  it('leaves the handlers of a VoiceXML field reachable', () => {
    const result = imported(
      vxml(`<form><field name="city"><grammar src="https://a.example/c.grxml"/><prompt>Which city?</prompt>
        <noinput>We heard nothing. <exit/></noinput></field><block>Thank you for it.</block></form>`),
    );
    expect(result.steps['city']).toMatchObject({
      exits: { done: 'say_thank_you_for_it', no_input: 'say_we_heard_nothing' },
    });
  });

  it.each<[string, Files]>([
    ['NCCO', ncco({ action: 'input', type: ['dtmf'] }, { action: 'talk', text: 'Still here.' })],
    [
      'NCCO with a URL',
      ncco(
        { action: 'input', type: ['dtmf'], eventUrl: ['https://a.example/x'] },
        { action: 'talk', text: 'Still here.' },
      ),
    ],
    [
      'jambonz',
      jambonz({ verb: 'gather', actionHook: '/x', say: { text: 'Press one.' } }, { verb: 'say', text: 'Still here.' }),
    ],
  ])('leads on to what follows the question in %s', (_, files) => {
    const { steps } = imported(files);
    const todo = Object.values(steps).find((step) => step['todo'] !== undefined);
    expect(todo).toMatchObject({ next: 'say_still_here' });
  });
});

it('reads any field of a step that is to be written without a warning', () => {
  const state = (name: string, type: string, properties: JsonObject, event: string, next?: string) => ({
    ...{ name, type, properties },
    transitions: [next === undefined ? { event } : { event, next }],
  });
  const { findings } = imported({
    'a.json': JSON.stringify({
      states: [
        state('Trigger', 'trigger', {}, 'incomingCall', 'a'),
        state('a', 'make-http-request', { method: 'GET', url: 'gopher://a.example' }, 'success', 'b'),
        state(
          'b',
          'say-play',
          { say: 'You have {{widgets.a.parsed.n}} items, {{widgets.a.status_code}}.' },
          'audioComplete',
        ),
      ],
      initial_state: 'Trigger',
    }),
  });
  expect(findings.map(({ code }) => code)).toEqual(['todo']);
});

describe('a VoiceXML menu', () => {
  it('is imported where a property takes keys alone', () => {
    const { steps } = imported(
      vxml(
        '<menu id="m"><property name="inputmodes" value="dtmf"/><prompt>Choose.</prompt><choice dtmf="1" next="#e">one</choice></menu><form id="e"><block>Good bye then.</block></form>',
      ),
    );
    expect(steps['m']).toMatchObject({ menu: { choices: { one: { dtmf: '1' } } } });
  });
});

describe('a failure of an importer', () => {
  it('is an error at its place in the file, with a request to report it', () => {
    const { diagnostics } = importFiles(
      [{ file: 'a.json', text: '[{"action": "talk", "text": "Hi there."}]' }],
      {
        verbs,
        // Stands for a fault of the program, which no document of a test reaches.
        get name(): string {
          throw new Error('a fault');
        },
      },
      'ncco',
    );
    expect(diagnostics).toEqual([
      expect.objectContaining({
        ...{ severity: 'error', code: 'importer-failed', file: 'a.json' },
        message: expect.stringContaining('a fault'),
        hint: expect.stringContaining('Report it'),
      }),
    ]);
  });
});

describe('Liquid of Twilio Studio', () => {
  const flow = (say: string): Files => ({
    'a.json': JSON.stringify({
      states: [
        { name: 'Trigger', type: 'trigger', transitions: [{ event: 'incomingCall', next: 'a' }], properties: {} },
        { name: 'a', type: 'say-play', transitions: [{ event: 'audioComplete' }], properties: { say } },
      ],
      initial_state: 'Trigger',
    }),
  });

  it.each<[string, string]>([
    ['{% assign n = 2 | plus: 3 %}It is {{ n }}.', 'It is 5.'],
    [
      '{% assign w = "two" %}{% case w %}{% when "one" %}It is 1.{% when "two", "three" %}It is more.{% else %}No.{% endcase %}',
      'It is more.',
    ],
    ['{% capture w %}A{{ 1 | plus: 1 }}{% endcapture %}{% comment %}secret{% endcomment %}It is {{ w }}.', 'It is A2.'],
  ])('says the words of the template %s', async (say, heard) => {
    using folder = folderOf({
      ...flow(say),
      'a.test.yaml': `test: what is said\nflow: a\nscript: [hear: "${heard}"]\n`,
    });
    expect(await callweave(['import', 'a.json'], { cwd: folder.path })).toMatchObject({ code: 0, err: '' });
    expect((await callweave(['test', '.'], { cwd: folder.path })).out).toMatch(/^1 test passed, 0 failed/m);
  });
});

it('compares numbers of templates in a split of Twilio Studio', () => {
  const condition = { type: 'less_than', value: '{{flow.variables.most}}', arguments: ['{{flow.variables.n}}'] };
  const { steps } = imported({
    'a.json': JSON.stringify({
      states: [
        { name: 'Trigger', type: 'trigger', transitions: [{ event: 'incomingCall', next: 'a' }], properties: {} },
        {
          ...{ name: 'a', type: 'split-based-on', properties: { input: '{{flow.variables.n}}' } },
          transitions: [{ event: 'noMatch' }, { event: 'match', next: 'a', conditions: [condition] }],
        },
      ],
      initial_state: 'Trigger',
    }),
  });
  expect(JSON.stringify(steps['a'])).toContain('$number($trim($string(vars.n))) < $number($trim($string(vars.most)))');
});
