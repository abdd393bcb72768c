/** Source files that are broken, huge, of another version or hostile: an error with a position, and no crash. */
import { describe, expect, it } from 'vitest';
import { type ImportResult, importFiles } from '../../src/language/importers/import-files.ts';
import { verbs } from '../../src/verbs/steps.ts';
import { callweave, folderOf } from '../cli/command.ts';
import { refused } from './imported.ts';

const bomb = `<!DOCTYPE Response [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>\n<Response><Say>&b;</Say></Response>`;

const vxmlBomb = `<!DOCTYPE vxml [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>\n<vxml version="2.1"><form><block>&b;</block></form></vxml>`;

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
    ['with a key that is the prototype of things', '[{"verb": "say", "__proto__": 1}]', ['1:18 yaml-key']],
    ['with entities of its own in VoiceXML', vxmlBomb, ['1:56 xml-entities']],
    ['of another version of VoiceXML', '<vxml version="3.0"/>', ['1:1 other-version']],
    ['with states that are none', '{"states": {"a": 1}, "initial_state": "a"}', ['1:1 not-studio']],
  ])('rejects a file %s', (_, text, expected) => {
    expect(refused(text)).toEqual(expected);
  });

  const many = (item: string, between = ',\n') => Array<string>(20_000).fill(item).join(between);
  it.each<[string, string, string[]]>([
    ['TwiML', `<Response>${many('<Pause/>', '\n')}</Response>`, ['5001:1 too-big']],
    ['NCCO', `[${many('{"action":"talk"}')}]`, ['5001:1 too-big']],
    ['jambonz', `[${many('{"verb":"say"}')}]`, ['5001:1 too-big']],
    ['SWML', `{"sections":{"main":[${many('"hangup"')}]}}`, ['5001:1 too-big']],
    ['VoiceXML', `<vxml version="2.1"><form><block>${many('<exit/>', '\n')}</block></form></vxml>`, ['4998:1 too-big']],
  ])('is rejected with 20,000 verbs of %s, before its flow is written', (_, text, expected) => {
    expect(refused(text)).toEqual(expected);
  });

  it('reports errors with the line on the command line', async () => {
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
  '\u0000\u001b[31m',
  '💥'.repeat(500),
];

const filled = (keys: string, value: unknown): object =>
  Object.fromEntries(keys.split(' ').map((field) => [field, value]));

/** The result is readable: it compiles, or `check` reports an error in a step, never in the YAML. */
function expectReadable(text: string, file = 'a.json'): ImportResult {
  const result = importFiles([{ file, text }], { verbs });
  // The text must be parsed: one that is refused as a whole would test no verb.
  const isUnread = ({ code }: { code: string }) => code === 'too-big' || code.startsWith('yaml');
  expect(result.diagnostics.filter(isUnread)).toEqual([]);
  expect(result.diagnostics.length + ('flows' in result ? result.flows.length : 0)).toBeGreaterThan(0);
  if ('findings' in result) expect(result.findings.filter(isUnread)).toEqual([]);
  return result;
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

  it.each(types)('imports a widget %s with values of any type', (type) => {
    const states = VALUES.flatMap((value, index) => {
      const properties = filled(keys.join(' '), value);
      const transitions = [
        { event: value, next: value, conditions: value },
        { event: 'match', next: 'a0', conditions: [{ type: value, value, arguments: value }] },
      ];
      return [{ name: `a${index}`, type, properties, transitions }, value];
    });
    expectReadable(JSON.stringify({ initial_state: 'a0', states }));
  });
});

/** The two list formats: verbs, keys of any verb, and keys of nested objects. */
const LISTS = [
  {
    key: 'action',
    known: 'talk',
    names: 'talk stream input record conversation connect notify wait nonsense',
    keys: 'text language voiceName style level loop bargeIn streamUrl type dtmf speech mode eventUrl eventType eventMethod endOnSilence endOnKey timeOut beepStart name musicOnHoldUrl startOnEnter endOnExit mute record canSpeak canHear endpoint from timeout limit machineDetection payload ringbackTone',
    objects: 'dtmf speech endpoint',
    inner:
      'number uri user extension headers dtmfAnswer onAnswer maxDigits submitOnHash timeOut language context endOnSilence startTimeout',
  },
  {
    key: 'verb',
    known: 'say',
    names:
      'say play pause gather dial conference enqueue dequeue listen transcribe config redirect sip:refer sip:decline hangup dtmf tag message lex wobble',
    keys: 'text loop earlyMedia url synthesizer recognizer actionHook input numDigits minDigits maxDigits interDigitTimeout finishOnKey bargein dtmfBargein say play target callerId timeLimit timeout headers dialMusic confirmHook amd listen record transcribe bargeIn reset name startConferenceOnEnter endConferenceOnExit joinMuted maxParticipants beep data dtmf status referTo to length duration waitHook',
    objects: 'say play target listen recognizer synthesizer data record bargeIn',
    inner: 'text url number sipUri name auth headers language voice gender hints action enable input mixType',
  },
] as const;

describe('values of any type in a list', () => {
  const verbs = LISTS.flatMap((list) => list.names.split(' ').map((name) => ({ ...list, name })));

  it.each(verbs)('imports the $key $name with values of any type', ({ key, known, name, keys, objects, inner }) => {
    const list = VALUES.flatMap((value) => {
      const within = { ...filled(inner, value), type: 'phone' };
      // Keys of an object are reached only if it is an object.
      const nested = { ...filled(keys, value), ...filled(objects, within) };
      return [filled(objects, value), nested].map((fields) => ({ ...fields, [key]: name }));
    });
    expectReadable(JSON.stringify([{ [key]: known }, ...list]));
  });
});

describe('values of any type in a section', () => {
  const methods =
    'play prompt record connect request set cond switch goto label transfer answer hangup sleep send_digits tap join_conference sip_refer ai';
  const keys =
    'value url urls play say_voice say_language volume max_digits terminators speech_hints to from parallel serial timeout method headers body save_variables variable case default label when max dest duration digits uri name to_uri';

  it.each(methods.split(' '))('imports the method %s with values of any type', (name) => {
    const way = (when: unknown, methods: unknown) =>
      Object.fromEntries([
        ['when', when],
        ['then', methods],
      ]);
    const main = VALUES.flatMap((value) => {
      const known = { variable: 'x', case: { a: value }, url: 'say: a', label: 'there' };
      const fields = filled(Object.keys(known).join(' '), value);
      const nested = { ...filled(keys, value), ...known };
      const list = [way(value, [{ [name]: value }]), way('x == 1', value)];
      return [{ [name]: value }, { [name]: fields }, { [name]: nested }, { [name]: list }];
    });
    expectReadable(JSON.stringify({ version: '1.0.0', sections: { main: [{ label: 'there' }, ...main] } }));
  });
});

describe('values of any kind in attributes', () => {
  const attributes =
    'name expr cond next nextitem expritem event count namelist src srcexpr dest destexpr type mode dtmf value item array repeat timeout maxtime finalsilence method interpret-as xml:lang time id';
  const elements =
    'prompt audio value break foreach assign var clear if goto submit throw return log script data field record transfer subdialog param option grammar menu choice noinput catch filled link property block form initial enumerate';
  const values = ['', ' ', '${ x', '💥'.repeat(500), '-1', '#f1', '1 +', "'a'"];

  it.each(elements.split(' '))('imports <%s> with values of any kind', (name) => {
    const all = (value: string) => attributes.split(' ').map((key) => `${key}="${value}"`);
    // Each alone, since the first that is wrong hides the others.
    const alone = attributes.split(' ').map((key, index) => `${key}="${values[index % values.length]}"`);
    const made = [...values.map((value) => all(value).join(' ')), ...alone].map((written, index) => {
      const one = `<${name} ${written}>some words</${name}>`;
      return `<form id="f${index}"><block>${one}<goto next="#f${index + 1}"/></block>
        <field name="f" type="digits"><prompt>${one}</prompt>${one}</field>${one}</form>`;
    });
    const text = `<vxml version="2.1">${made.join('')}</vxml>`;
    const result = expectReadable(text, 'a.vxml');
    const errors = 'findings' in result ? result.findings.filter(({ severity }) => severity === 'error') : [];
    expect(errors.filter(({ code }) => code !== 'todo')).toEqual([]);
  });
});
