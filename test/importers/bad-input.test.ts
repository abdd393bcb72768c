/** Foreign files that are broken, huge, of another version or hostile: a clear error with its place, and no crash. */
import { describe, expect, it } from 'vitest';
import { importFiles } from '../../src/importers/import-files.ts';
import { callweave, folderOf } from '../cli/command.ts';
import { refused } from './imported.ts';

const bomb = `<!DOCTYPE Response [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>\n<Response><Say>&b;</Say></Response>`;

describe('a file is refused', () => {
  it.each<[string, string, string[]]>([
    ['that is nothing', '', ['1:1 unknown-format']],
    ['that is not one of ours to import', 'hello: world', ['1:1 unknown-format']],
    ['with a tag that is not closed', '<Response>\n  <Say>Hi</Sey>\n</Response>', ['2:15 xml-syntax']],
    ['that ends in the middle', '<Response>\n  <Say>Hi', ['2:9 xml-syntax']],
    ['with an unknown entity', '<Response>\n<Say>&nope;</Say></Response>', ['2:11 xml-syntax']],
    ['with entities of its own', bomb, ['1:72 xml-entities']],
    ['whose outermost element is another one', '<Twiml><Response/></Twiml>', ['1:1 not-twiml']],
    ['with elements in elements', `<Response>${'<Say>'.repeat(1000)}`, ['1:310 too-big']],
    ['that is too large', `<Response><Say>${'x'.repeat(1_100_000)}</Say></Response>`, ['1:1 too-big']],
    ['with JSON that is broken', '{"states": [{"name": "a" "transitions": 1}]}', ['1:26 yaml-syntax']],
    ['with JSON in too many brackets', `{"transitions": 1, "states": ${'['.repeat(5000)}`, ['1:528 too-big']],
    ['that is a list with something else than actions', '[\n {"action": "talk"},\n 7]', ['3:2 not-ncco']],
    ['with actions of another spelling', '{"ncco": {"action": "talk"}}', ['1:10 not-ncco']],
    ['with a list in too many brackets', `[{"action": "talk", "text": ${'['.repeat(5000)}`, ['1:526 too-big']],
    ['with verbs of something else', '[{"verb": "say"}, {"verb": 7}]', ['1:19 not-jambonz']],
    ['with verbs that end in the middle', '[{"verb": "say",\n "text": "Hi"', ['2:14 yaml-syntax']],
    ['with sections of another version', 'version: 2.0.0\nsections:\n  main: []', ['1:10 other-version']],
    ['with a section that is not a list', 'sections:\n  main: []\n  other: 7', ['3:10 not-swml']],
    ['with methods without a name', 'sections:\n  main: [7]', ['2:9 not-swml']],
    ['without a main section', '{"sections": {"other": {"main": []}}}', ['1:1 not-swml']],
    ['with too many actions', `[${'{"action": "talk"},'.repeat(60_000)}]`, ['1:1 too-big']],
    ['with states that are none', '{"states": {"a": 1}, "initial_state": "a"}', ['1:1 not-studio']],
  ])('%s', (_, text, expected) => {
    expect(refused(text)).toEqual(expected);
  });

  it('by the command line, with the line', async () => {
    using folder = folderOf({ 'a.xml': '<Response>\n  <Say>Hi</Sey>\n</Response>' });
    const { code, err } = await callweave(['import', 'a.xml'], { cwd: folder.path });
    expect(code).toBe(1);
    expect(err).toContain('a.xml:2:15 error xml-syntax: this is not well-formed XML');
  });
});

const VALUES = [
  null,
  true,
  -1,
  1e308,
  '',
  ' ',
  '${ x',
  '{{',
  '{% if',
  [],
  {},
  ['a'],
  { __proto__: 1 },
  '\u0000\u001b[31m',
  '💥'.repeat(999),
];

/** What came of it can be read: it compiles, or `check` says what is wrong with a step, never with the YAML. */
function expectReadable(text: string): void {
  const result = importFiles([{ file: 'a.json', text }], {});
  expect(result.diagnostics.length + ('flows' in result ? result.flows.length : 0)).toBeGreaterThan(0);
  if ('findings' in result) expect(result.findings.filter(({ code }) => code.startsWith('yaml'))).toEqual([]);
}

describe('values of any type', () => {
  const types = [
    'say-play',
    'gather-input-on-call',
    'split-based-on',
    'connect-call-to',
    'record-voicemail',
    'make-http-request',
    'run-function',
    'set-variables',
    'enqueue-call',
    'fork-stream',
    'record-call',
    'send-message',
    'nonsense',
  ];
  const keys = [
    'say',
    'play',
    'loop',
    'timeout',
    'number_of_digits',
    'finish_on_key',
    'input',
    'noun',
    'to',
    'url',
    'method',
    'body',
    'parameters',
    'variables',
    'queue_name',
    'hints',
    'voice',
    'max_length',
  ];

  it.each(types)('never break the import of a widget %s', (type) => {
    for (const value of VALUES) {
      const properties = Object.fromEntries(keys.map((key) => [key, value]));
      const transitions = [
        { event: value, next: value, conditions: value },
        { event: 'match', next: 'a', conditions: [{ type: value, value, arguments: value }] },
      ];
      const text = JSON.stringify({
        initial_state: 'a',
        states: [{ name: 'a', type, properties, transitions }, value],
      });
      expectReadable(text);
    }
  });
});

describe('values of any type in a list', () => {
  const actions = ['talk', 'stream', 'input', 'record', 'conversation', 'connect', 'notify', 'wait', 'nonsense'];
  const keys =
    'text language voiceName style level loop bargeIn streamUrl type dtmf speech mode eventUrl eventMethod endOnSilence endOnKey timeOut name musicOnHoldUrl canSpeak canHear endpoint from timeout limit headers payload ringbackTone url synthesizer recognizer actionHook input numDigits minDigits finishOnKey say play target callerId dialMusic confirmHook amd listen record bargeIn reset maxParticipants beep data dtmf status referTo length duration';
  const ofJambonz =
    'say play pause gather dial conference enqueue dequeue listen transcribe config redirect sip:refer sip:decline hangup dtmf tag message lex wobble';
  const verbs: [key: string, name: string][] = [
    ...actions.map((action): [string, string] => ['action', action]),
    ...ofJambonz.split(' ').map((verb): [string, string] => ['verb', verb]),
  ];

  it.each(verbs)('never break the import of an %s %s', (key, name) => {
    for (const value of VALUES) {
      const fields = Object.fromEntries(keys.split(' ').map((field) => [field, value]));
      const inner = { ...fields, type: 'phone', number: value, uri: value, user: value, timeOut: value };
      const nested = Object.fromEntries(
        ['dtmf', 'speech', 'endpoint', 'say', 'target', 'data', 'listen'].map((field) => [field, inner]),
      );
      const first = { [key]: { nonsense: 'talk' }[name] ?? name, ...fields };
      expectReadable(JSON.stringify([first, { ...fields, [key]: name }, { ...fields, ...nested, [key]: name }]));
    }
  });
});

describe('values of any type in a section', () => {
  const methods =
    'play prompt record connect request set cond switch goto label transfer answer hangup sleep send_digits tap join_conference sip_refer ai';
  const keys =
    'value url urls play say_voice say_language volume max_digits terminators speech_hints to from parallel serial timeout method headers body save_variables variable case default label when max dest duration digits uri name to_uri';

  it.each(methods.split(' '))('never break the import of the method %s', (name) => {
    const way = (when: unknown, methods: unknown) =>
      Object.fromEntries([
        ['when', when],
        ['then', methods],
      ]);
    for (const value of VALUES) {
      const fields = Object.fromEntries(keys.split(' ').map((field) => [field, value]));
      const nested = { ...fields, variable: 'x', case: { a: value }, url: 'say: a', when: value, label: 'there' };
      const list = [way(value, [{ [name]: value }]), way('x == 1', value)];
      const main = [{ label: 'there' }, { [name]: value }, { [name]: fields }, { [name]: nested }, { [name]: list }];
      expectReadable(JSON.stringify({ version: '1.0.0', sections: { main } }));
    }
  });
});
