/** VoiceXML as flows: the result of each construct, behaviour of calls, `todo` steps, and refused documents. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../src/base/core/json.ts';
import { callweave, folderOf } from '../cli/command.ts';
import { errorsOf, expectTodo, imported, refused } from './imported.ts';
import { flows } from './realistic/voicexml.ts';

const vxml = (content: string, attributes = ''): string => `<vxml version="2.1" ${attributes}>${content}</vxml>`;
const form = (content: string): string => vxml(`<form id="main">${content}</form>`);
const files = (text: string, others: Readonly<Record<string, string>> = {}) => ({ 'source.vxml': text, ...others });
const END = '$end';

/** How calls go: the form interpretation algorithm, in virtual time. */
describe('a call', () => {
  async function expectCall(
    sources: Readonly<Record<string, string>>,
    script: Json[],
    expected: JsonObject,
  ): Promise<void> {
    using folder = folderOf(sources);
    const names = Object.keys(sources);
    expect((await callweave(['import', ...names], { cwd: folder.path })).code).toBe(0);
    const flow = names[0]!.replace('.vxml', '');
    const test = { test: 'as it is there', flow, script, expect: expected };
    writeFileSync(join(folder.path, 'a.test.yaml'), JSON.stringify(test));
    const { code, out, err } = await callweave(['test', '.'], { cwd: folder.path });
    expect(`${out}${err}`).toContain('1 test passed');
    expect(code).toBe(0);
  }

  it('counts silence and mistakes for themselves', async () => {
    await expectCall(
      flows['reminder']!,
      [
        { hear: 'Will you come' },
        'silence',
        { hear: 'and 2 if you do not' },
        { press: '9' },
        { hear: 'and 2 if you do not' },
        { press: '9' },
        { hear: 'and 2 if you do not' },
        'silence',
        { hear: 'We will call again' },
      ],
      { vars: { comes_noinput: 2 } },
    );
  });

  it('asks again for what was emptied, and for that alone', async () => {
    await expectCall(
      flows['balance']!,
      [
        { hear: 'account number' },
        { press: '12345678' },
        { hear: 'your code' },
        { press: '9999' },
        { hear: 'not right' },
        { hear: 'your code' },
        { press: '1234' },
        { hear: '1 2 3 4 5 6 7 8 is 12 euros' },
      ],
      { vars: { attempts: 2, pin: '1234' } },
    );
  });

  it('is led through a dialog that is called twice, with what it is given', async () => {
    await expectCall(
      flows['survey']!,
      [
        { hear: 'How was your stay' },
        { press: '7' },
        { hear: 'At most five' },
        { hear: 'How was your stay' },
        { press: '4' },
        { hear: 'How was the food' },
        { press: '1' },
        { hear: 'sorry to hear' },
        { hear: 'Your points: 4 and 1' },
      ],
      { vars: { first: { stars: '4' }, second: { stars: '1' } } },
    );
  });

  it('hears other prompts each time that it is asked', async () => {
    await expectCall(
      files(
        form(`<field name="a" type="digits?length=1"><prompt>The first time.</prompt><prompt count="2">The second time.</prompt>
          <prompt count="3">The third time.</prompt></field><block>You pressed <value expr="a"/>.</block>`),
      ),
      [
        { hear: 'The first' },
        'silence',
        { hear: 'The second' },
        'silence',
        { hear: 'The third' },
        'silence',
        { hear: 'The third' },
        { press: '5' },
        { hear: 'You pressed 5' },
      ],
      { vars: { a: '5' } },
    );
  });

  it('is not asked again in words where a handler does not say so', async () => {
    await expectCall(
      files(
        form(`<field name="a" type="digits?length=1"><prompt>The question.</prompt><noinput>Take your time.</noinput></field>
          <block>Thank you.</block>`),
      ),
      [{ hear: 'The question' }, 'silence', { hear: ['Take your time.'] }, { press: '5' }, { hear: 'Thank you' }],
      { path: ['a', 'say_thank_you'] },
    );
  });
});

type Row = [content: string, steps: Record<string, JsonObject>];

/** Each with nothing else in its form. */
const CONSTRUCTS: Row[] = [
  ['<block>Hello there.</block>', { say_hello_there: { play: 'Hello there.', next: END } }],
  [
    '<block><prompt xml:lang="fr-FR">Bon jour</prompt></block>',
    { say_bon_jour: { play: { text: 'Bon jour', language: 'fr-FR' }, next: END } },
  ],
  [
    '<block><audio src="https://a.example/a.mp3">Hello there.</audio></block>',
    { say_hello_there: { play: { audio: 'https://a.example/a.mp3', text: 'Hello there.' }, next: END } },
  ],
  [
    '<block>One <break time="1.5s"/> two <prosody rate="slow">three</prosody> &amp; 4</block>',
    {
      say_one: {
        play: [
          { text: 'One' },
          { silence: '1500ms' },
          { ssml: '<speak>two <prosody rate="slow">three</prosody> &amp; 4</speak>' },
        ],
        next: END,
      },
    },
  ],
  [
    '<block>It is ${ 1 } for <value expr="session.telephone.ani"/>.</block>',
    { say_it_is_for: { play: 'It is $${ 1 } for ${ call.from }.', next: END } },
  ],
  [
    '<field name="n"><grammar mode="dtmf">1 | 2 | #</grammar></field>',
    {
      n: {
        menu: { choices: { 1: { dtmf: '1' }, 2: { dtmf: '2' }, pound: { dtmf: '#' } }, attempts: 20 },
        set: { n: "${ $lookup({ '1': '1', '2': '2', 'pound': '#' }, result.choice) }" },
        exits: { 1: END, 2: END, pound: END, exhausted: END },
      },
    },
  ],
  [
    '<field name="n"><grammar src="builtin:dtmf/digits?minlength=2;maxlength=5"/><property name="termchar" value="*"/></field>',
    {
      n: {
        collect: { digits: { min: 2, max: 5, terminator: '*' }, speech: { grammar: 'digits' }, attempts: 20 },
        set: { n: '${ result.digits }' },
        exits: { collected: END, exhausted: END },
      },
    },
  ],
  [
    '<field name="y" type="boolean?y=7;n=9"><property name="inputmodes" value="dtmf"/></field>',
    {
      y: {
        collect: { digits: { length: 1, pattern: '[79]' }, attempts: 20 },
        set: { y: "${ $exists(result.digits) ? result.digits = '7' : result.speech = 'yes' }" },
        exits: { collected: END, exhausted: END },
      },
    },
  ],
  [
    '<record name="m" beep="true" dtmfterm="false" maxtime="10s"><prompt>Speak now.</prompt></record>',
    {
      m: {
        record: { prompt: 'Speak now.', max_length: '10s', terminator: '' },
        set: { m: "${ $exists(result.recording_id) ? result.recording_id : '' }" },
        exits: { recorded: END, silence: 'm', limit: END },
        max_visits: 50,
      },
    },
  ],
  [
    '<transfer name="t" dest="sip:a@b.example" type="blind"/>',
    {
      t: {
        transfer: { to: 'sip:a@b.example', mode: 'refer' },
        set: { t: "${ result.answered ? '' : 'busy' }" },
        exits: { transferred: END, returned: END, failed: END },
      },
    },
  ],
  ['<block><disconnect/></block>', { hang_up: { hangup: 'normal' } }],
  ['<block><log label="x">y</log></block>', { log: { log: 'x: y', next: END } }],
  [
    '<block><throw event="a.b.c"/></block><catch event="a.b">Caught it.</catch>',
    { say_caught_it: { play: 'Caught it.', next: END } },
  ],
];

describe('a construct', () => {
  it.each(CONSTRUCTS)('imports the form %s', (content, steps) => {
    const result = imported(files(form(content)));
    expect(result.steps).toEqual(steps);
    expect(result.nodes.every(({ fidelity }) => fidelity === 'exact')).toBe(true);
    expect(errorsOf(result)).toEqual([]);
  });

  it.each<[string, string]>([
    ['<initial name="a"><prompt>What?</prompt></initial>', 'ask for several fields at once'],
    ['<field name="a"><prompt>Who?</prompt><grammar src="names.grxml"/></field>', 'listen by the grammar names.grxml'],
    ['<field name="a"><prompt>Who?</prompt></field>', 'it has no grammar'],
    ['<field name="a" type="x-person"><prompt>Who?</prompt></field>', 'listen for x-person'],
    ['<object name="a" classid="b"/>', 'do what the object b does'],
    ['<transfer name="a" dest="fax:1"/>', 'connect the caller with fax:1'],
    ['<subdialog name="a" src="gone.vxml"/>', 'call the dialog gone.vxml'],
    ['<subdialog name="a" src="#main"/>', 'call the dialog #main'],
    ['<block><submit next="https://a.example/b"/></block>', 'do what https://a.example/b answers'],
    ['<block><goto expr="\'a\' + b"/></block>', 'it is known on the call only'],
    ['<block><script>function f() {}</script></block>', 'run function f() {}'],
    ['<block><assign name="a" expr="new Date()"/></block>', 'write new Date() as JSONata'],
    ['<block><audio src="gone.wav"/></block>', 'play gone.wav: put it into'],
    ['<block><value expr="lastresult$.utterance"/></block>', 'find lastresult$.utterance out'],
    ['<block><wobble/></block>', 'do what <wobble> does'],
  ])('%s is to be written, and check says so', (content, what) => {
    const result = imported(files(form(content)));
    expect(result.nodes.some(({ fidelity, notes }) => fidelity === 'todo' && notes.join().includes(what))).toBe(true);
    expect(errorsOf(result).filter((error) => !error.startsWith('todo: '))).toEqual([]);
    expect(errorsOf(result).length).toBeGreaterThan(0);
  });

  it('is named if nothing leads to it', () => {
    const result = imported(
      files(vxml('<form id="a"><block>Hello there.</block></form><form id="b"><block>Bye now.</block></form>')),
    );
    expect(
      result.nodes.filter(({ fidelity }) => fidelity === 'none').map(({ name, notes }) => `${name}: ${notes}`),
    ).toContain('b: nothing leads here');
  });

  it('becomes a todo step if it leads to a document outside the files', () => {
    expectTodo(imported(files(form('<block>Hello there.<goto next="b.vxml#c"/></block>'))), 'do what b.vxml#c answers');
  });
});

it('handles a hang-up in the form that catches it, and otherwise in the document', () => {
  const text = vxml(`<catch event="connection.disconnect.hangup"><log>anywhere</log></catch>
    <form id="a"><field name="n" type="digits"><prompt>A number?</prompt></field><block><goto next="#b"/></block></form>
    <form id="b"><catch event="connection.disconnect.hangup"><log>in b</log></catch>
      <field name="m" type="digits"><prompt>Another one?</prompt></field></form>`);
  const result = imported(files(text));
  const exits = (name: string) => result.steps[name]!['exits'] as JsonObject;
  expect(result.steps[String(exits('m')['hangup'])]).toMatchObject({ log: 'in b' });
  expect(exits('n')['hangup']).toBeUndefined();
  expect(result.flows[0]!.text).toContain('events: { hangup: log_2 }');
  expect(errorsOf(result)).toEqual([]);
});

it('is imported by the command line, with tests that pass', async () => {
  const ask = '<field name="n" type="digits?length=1"><noinput>Goodbye. <exit/></noinput><nomatch><exit/></nomatch>';
  using folder = folderOf({
    'front.vxml': form(`${ask}<prompt>Please press a key.</prompt></field><block>Thank you.</block>`),
  });
  const made = await callweave(['import', 'front.vxml', '--format', 'voicexml', '--tests'], { cwd: folder.path });
  expect(`${made.code} ${made.out}`).toContain('9 nodes: 9 exact, 0 nearly, 0 to do');
  const tested = await callweave(['test', '.'], { cwd: folder.path });
  expect(tested.code).toBe(0);
  expect(tested.out).toMatch(/\d+ tests passed, 0 failed/);
});

describe('a file is refused', () => {
  const bomb =
    '<!DOCTYPE vxml [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><vxml version="2.0"><form><block>&b;</block></form></vxml>';
  const outside =
    '<!DOCTYPE vxml [<!ENTITY a SYSTEM "file:///etc/passwd">]><vxml version="2.0"><form><block>&a;</block></form></vxml>';

  it.each<[string, string, RegExp]>([
    ['with entities of its own', bomb, /^1:\d+ xml-entities$/],
    ['with entities from elsewhere', outside, /^1:\d+ xml-entities$/],
    ['of another version', '<vxml version="3.0"><form/></vxml>', /^1:1 other-version$/],
    ['that is not closed', '<vxml version="2.0"><form>', /xml-syntax$/],
    ['that is too deep', `<vxml version="2.0">${'<form>'.repeat(500)}`, /too-big$/],
  ])('rejects a file: %s', (_, text, expected) => {
    const [first, ...others] = refused(text);
    expect(others).toEqual([]);
    expect(first).toMatch(expected);
  });

  it('is refused if it is not VoiceXML', () => {
    expect(refused('<html><vxml/></html>', 'voicexml')).toEqual(['1:1 not-voicexml']);
    expect(refused('<grammar mode="dtmf"/>', 'voicexml')).toEqual(['1:1 not-voicexml']);
  });
});
