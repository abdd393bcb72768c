import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Json } from '../../src/base/core/json.ts';
import type { CompiledFlow } from '../../src/language/flow/compiled-flow.ts';
import { FlowLibrary, resolvePrompt, TEMPLATE_FLOWS } from '../../src/language/flow/flow-library.ts';
import { verbs } from '../../src/verbs/steps.ts';
import { brief } from './check-flow.ts';

const made: string[] = [];
afterAll(() => {
  for (const directory of made) rmSync(directory, { recursive: true });
});

function directoryOf(files: Record<string, string>): string {
  const directory = mkdtempSync(join(tmpdir(), 'flows-'));
  made.push(directory);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, name)), { recursive: true });
    writeFileSync(join(directory, name), text);
  }
  return directory;
}

const flow = (name: string, steps = 'a: { hangup: normal }', head = '') =>
  `flow: ${name}\n${head}defaults: { exits: { error: a } }\nstart: a\nsteps:\n  ${steps}\n`;

describe('the library', () => {
  it('loads what is a flow, and nothing else', () => {
    const directory = directoryOf({
      'one.flow.yaml': flow('one'),
      'two.yml': flow('two'),
      'three.json': '{"flow":"three","start":"a","steps":{"a":{"hangup":null}}}',
      'deep/er/four.yaml': flow('four'),
      'one.test.yaml': 'test: not a flow',
      'one.layout.json': '{}',
      'broadcast.json': '{}',
      'spring.broadcast.yaml': 'flow: one',
      'callees.yaml': 'flow: one',
      'answer.schema.json': '{}',
      'schemas/account.json': '{}',
      'prompts/list.yaml': 'not a flow',
      '.hidden.yaml': 'not a flow',
      'README.md': 'not a flow',
    });
    const library = new FlowLibrary(verbs).load(directory);
    expect(library.names()).toEqual(['four', 'one', 'three', 'two']);
    expect(library.diagnostics()).toEqual([]);
    expect(library.get('one')).toMatchObject({ name: 'one', file: join(directory, 'one.flow.yaml') });
    expect(library.get('toString')).toBeUndefined();
  });

  it('leaves out the templates of the studio, which are to be copied, unless one is named', () => {
    const shipped = dirname(TEMPLATE_FLOWS);
    expect(new FlowLibrary(verbs).load(shipped).names()).not.toContain('take-a-payment');
    const named = new FlowLibrary(verbs).load(shipped, [join(TEMPLATE_FLOWS, 'take-a-payment.flow.yaml')]);
    expect(named.names()).toContain('take-a-payment');
  });

  it('loads the other flows if one is wrong', () => {
    const library = new FlowLibrary(verbs).load(
      directoryOf({
        'a.yaml': flow('a', 'a: { hangup: nromal }'),
        'b.yaml': flow('b'),
        'c.flow.yaml': 'x: [',
        'd.yaml': flow('b'),
      }),
    );
    expect(library.names()).toEqual(['b']);
    expect(library.diagnostics().map(({ code }) => code)).toEqual(['wrong-value', 'yaml-syntax', 'duplicate-flow']);
  });

  it('leaves other files alone that lie beside flows, and reads what looks like a flow but cannot be read', () => {
    const directory = directoryOf({
      'a.json': JSON.stringify({ flow: 'a', start: 'x', steps: { x: { hangup: null } } }),
      'package.json': JSON.stringify({ name: 'mine', scripts: { start: 'callweave start', flow: 'x' } }),
      'package-lock.json': '{"lockfileVersion": 3, "packages": {',
      'compose.yml': 'services: { callweave: { image: callweave } }',
      'campaign.json': JSON.stringify({ from: '1', flow: { flow: 'b', start: 'x', steps: { x: { hangup: null } } } }),
      'large.json': `{"a": "${'#'.repeat(2_000_000)}"}`,
      'empty.yaml': '',
      'broken.yaml': 'flow: broken\nstart: x\nsteps: { x: [',
      'stepless.flow.yaml': 'flow: stepless',
    });
    const library = new FlowLibrary(verbs).load(directory);
    expect(library.names()).toEqual(['a']);
    expect(library.diagnostics().map(({ file, code }) => [file.slice(directory.length + 1), code])).toEqual([
      ['broken.yaml', 'yaml-syntax'],
      ['stepless.flow.yaml', 'missing-key'],
      ['stepless.flow.yaml', 'missing-key'],
    ]);
  });

  it('does not read a file that is larger than any flow', () => {
    const library = new FlowLibrary(verbs).load(
      directoryOf({ 'a.yaml': flow('a'), 'b.flow.yaml': '#'.repeat(2_000_000) }),
    );
    expect(library.names()).toEqual(['a']);
    expect(brief(library.diagnostics())).toEqual(['1:1 unreadable']);
  });

  it('knows what the flows return to each other, whatever their order', () => {
    const steps = 'a: { subflow: second, exits: { known: bye, other: bye } }\n  bye: { hangup: normal }';
    const library = new FlowLibrary(verbs).load(
      directoryOf({
        'a.yaml': flow('first', steps).replace('error: a', 'error: bye'),
        'b.yaml': flow(
          'second',
          'a: { branch: [{ when: "true", next: b }, { else: c }] }\n  b: { return: known }\n  c: { return: other }',
        ),
        'c.yaml': flow('third', 'a: { subflow: fist, next: bye }\n  bye: { hangup: normal }').replace(
          'error: a',
          'error: bye',
        ),
      }),
    );
    expect(library.get('first')!.machine.next('a', 'known')).toBe('bye');
    expect(brief(library.diagnostics())).toEqual(['5:17 unknown-flow']);
  });

  it('finds flows that call each other in a circle', () => {
    const calls = (name: string) => `a: { subflow: ${name}, next: bye }\n  bye: { hangup: normal }`;
    const library = new FlowLibrary(verbs).load(
      directoryOf({ 'a.yaml': flow('a', calls('b')), 'b.yaml': flow('b', calls('a')) }),
    );
    expect(library.diagnostics().map(({ code }) => code)).toEqual(['cyclic-subflow', 'cyclic-subflow']);
  });

  it('does not follow links out of the directory', () => {
    const outside = directoryOf({ 'x.yaml': flow('outside') });
    const directory = directoryOf({ 'in.yaml': flow('inside') });
    symlinkSync(join(outside, 'x.yaml'), join(directory, 'x.yaml'));
    expect(new FlowLibrary(verbs).load(directory).names()).toEqual(['inside']);
  });

  it('lets flows of the directory use those that come with the program', () => {
    const control = (name: string, called = 'rest-control') =>
      flow(name, `a: { subflow: ${called}, next: bye }\n  bye: { hangup: normal }`).replace('error: a', 'error: bye');
    const directory = directoryOf({ 'mine.yaml': control('mine'), 'typo.yaml': control('typo', 'rest-contrl') });
    const library = new FlowLibrary(verbs).load(directory).loadBuiltIn();
    expect(library.diagnostics()).toMatchObject([
      { code: 'unknown-flow', file: join(directory, 'typo.yaml'), hint: 'did you mean rest-control?' },
    ]);
    expect(library.names()).toEqual(['broadcast-call', 'inbound-webhook', 'mine', 'rest-control', 'shared-number-pin']);
    expect(library.get('mine')!.machine.next('a', 'done')).toBe('bye');
    // They are there for whoever loads the directory alone, too.
    expect(new FlowLibrary(verbs).load(directory).get('rest-control')).toBeDefined();
  });

  it('prefers a flow of the directory to the one of its name that comes with the program', () => {
    const own = {
      'mine.yaml': flow('mine', 'a: { subflow: rest-control, exits: { mine: b } }\n  b: { hangup: normal }'),
    };
    const directory = directoryOf({ ...own, 'z.yaml': flow('rest-control', 'a: { return: mine }') });
    const library = new FlowLibrary(verbs).load(directory);
    expect(library.diagnostics()).toEqual([]);
    expect(library.get('mine')!.machine.next('a', 'mine')).toBe('b');
    expect(library.names()).toEqual(['mine', 'rest-control']);
  });

  it('has the flows that come with the program, which look for prompts where it does', () => {
    const roots = [directoryOf({}), directoryOf({})];
    const [one, other] = roots.map((root) => new FlowLibrary(verbs, { promptRoots: [root] }).loadBuiltIn());
    expect(one!.diagnostics()).toEqual([]);
    expect(one!.names()).toContain('rest-control');
    expect(other!.names()).toEqual(one!.names());
    for (const name of one!.names()) {
      expect(one!.get(name)!.prompts.roots).toEqual([roots[0]]);
      expect(other!.get(name)!.prompts.roots).toEqual([roots[1]]);
      expect(other!.get(name)!.machine).toBe(one!.get(name)!.machine);
    }
    const calls = {
      flow: 'r',
      start: 'a',
      steps: { a: { subflow: 'rest-controll', exits: { done: 'b' } }, b: { hangup: null } },
    };
    expect(one!.compile(calls).diagnostics).not.toEqual([]);
  });

  it('takes a flow of the directory in the place of one that comes with the program', () => {
    const library = new FlowLibrary(verbs).load(directoryOf({ 'mine.yaml': flow('rest-control') })).loadBuiltIn();
    expect(library.get('rest-control')!.file).toContain('mine.yaml');
    expect(new FlowLibrary(verbs).loadBuiltIn().get('rest-control')!.file).toContain('builtin');
  });

  it('compiles flows of requests once, and keeps them out of the names', () => {
    const library = new FlowLibrary(verbs);
    const document = () => ({ flow: 'r', start: 'a', steps: { a: { hangup: null } } });
    expect(library.compile(document()).flow).toBe(library.compile(document()).flow);
    expect(library.names()).toEqual([]);
    expect(library.compile({ flow: 1 }).diagnostics).not.toEqual([]);
    expect(library.compile(undefined).diagnostics).not.toEqual([]);
  });
});

describe('prompts', () => {
  const directory = directoryOf({
    'a.yaml': flow(
      'a',
      'a: { hangup: normal }',
      `prompts:
  greeting: Hello you
  ring: { tone: 440, duration: 300ms }
  jingle: { audio: jingle.wav }
  mixed: [greeting, { silence: 500ms }, { text: Bye, voice: male, language: en-GB, rate: 1.5 }]
  many: { en-US: Hello, fr: Salut, default: { text: Hey } }
  loop: [loop, loop]
`,
    ),
    'prompts/jingle.wav': 'RIFF',
    'prompts/welcome.wav': 'RIFF',
    'prompts/fr/welcome.ulaw': 'x',
    'prompts/en-US/hours.txt': ' Nine to five \n',
    'prompts/menu/main.wav': 'RIFF',
    'secret.wav': 'RIFF',
  });
  const outside = directoryOf({ 'far.wav': 'RIFF' });
  symlinkSync(join(outside, 'far.wav'), join(directory, 'prompts/link.wav'));
  const found = new FlowLibrary(verbs).load(directory);
  const a = found.get('a') as CompiledFlow;
  const file = (name: string) => join(directory, 'prompts', name);
  const speech = (text: string, language = 'en-US', name?: string) => ({
    type: 'speech',
    text,
    language,
    voice: 'female',
    ...(name === undefined ? {} : { name }),
  });

  it('compiles the flow whose prompts the tests use', () => {
    expect(found.diagnostics().filter(({ code }) => code !== 'unused-prompt')).toEqual([]);
  });

  it.each<[string, Json, string, object[]]>([
    ['a text', 'Hello to you', 'en-US', [speech('Hello to you')]],
    ['a text in the language of the step', 'Bonjour à vous', 'fr-FR', [speech('Bonjour à vous', 'fr-FR')]],
    ['a number', 42, 'en-US', [speech('42')]],
    ['a key of the table', 'greeting', 'en-US', [speech('Hello you', 'en-US', 'greeting')]],
    ['a tone', 'ring', 'en-US', [{ type: 'tone', frequencyHz: 440, durationMs: 300, name: 'ring' }]],
    ['a tone of its own', { tone: 800 }, 'en-US', [{ type: 'tone', frequencyHz: 800, durationMs: 200 }]],
    ['silence', { silence: '1s' }, 'en-US', [{ type: 'silence', durationMs: 1000 }]],
    ['a sound by key', 'jingle', 'en-US', [{ type: 'file', file: file('jingle.wav'), name: 'jingle' }]],
    ['a file of the directory', 'welcome', 'en-US', [{ type: 'file', file: file('welcome.wav'), name: 'welcome' }]],
    ['… of the language', 'welcome', 'fr-CA', [{ type: 'file', file: file('fr/welcome.ulaw'), name: 'welcome' }]],
    ['… below', 'menu/main', 'en-US', [{ type: 'file', file: file('menu/main.wav'), name: 'menu/main' }]],
    ['a text of the directory', 'hours', 'en-US', [speech('Nine to five', 'en-US', 'hours')]],
    ['the locale of an entry', 'many', 'en-US', [speech('Hello', 'en-US', 'many')]],
    ['… its language', 'many', 'fr-FR', [speech('Salut', 'fr', 'many')]],
    ['… its default', 'many', 'de-DE', [speech('Hey', 'de-DE', 'many')]],
    [
      'a list',
      'mixed',
      'en-US',
      [
        speech('Hello you', 'en-US', 'greeting'),
        { type: 'silence', durationMs: 500, name: 'mixed' },
        { ...speech('Bye', 'en-GB', 'mixed'), voice: 'male', rate: 1.5 },
      ],
    ],
    ['nothing to say', { text: ' ' }, 'en-US', []],
  ])('resolves the prompt %s', (_name, written, locale, items) => {
    expect(resolvePrompt(a, written, locale)).toEqual({ items });
  });

  it('uses a prompt of another language if none matches', () => {
    expect(resolvePrompt(a, 'hours', 'de-DE')).toEqual({
      items: [speech('Nine to five', 'en-US', 'hours')],
      otherwise: { key: 'hours', locale: 'en-US' },
    });
  });

  it.each<[string, Json]>([
    ['an unknown key', 'goodbye'],
    ['a key above the directory', '../secret'],
    ['a file above the directory', { audio: '../secret.wav' }],
    ['a file beside the directory', { audio: join(directory, 'secret.wav') }],
    ['a file of the system', { audio: '/etc/hostname' }],
    ['a link that leads out', 'link'],
    ['a link by name', { audio: 'link.wav' }],
    ['a zero byte', { audio: 'jingle.wav\0' }],
    ['a directory', { audio: 'menu' }],
    ['a name of objects', 'constructor'],
    ['a prompt that plays itself', 'loop'],
    ['null', null],
    ['an empty object', {}],
    ['a novel', { text: 'x'.repeat(5000) }],
    ['too many pieces', Array.from({ length: 200 }, () => ({ silence: '1s' }))],
  ])('reports %s as missing', (_name, written) => {
    expect(resolvePrompt(a, written, 'en-US')).toEqual({ missing: expect.any(String) });
  });

  it('allows directories of the configuration as well', () => {
    const library = new FlowLibrary(verbs, { promptRoots: [outside] }).load(directory);
    const far = join(outside, 'far.wav');
    expect(resolvePrompt(library.get('a')!, { audio: far }, 'en-US')).toEqual({
      items: [{ type: 'file', file: far, name: 'far.wav' }],
    });
    const embedded = library.compile({ flow: 'r', start: 'a', steps: { a: { hangup: null } } }).flow!;
    expect(resolvePrompt(embedded, { audio: far }, 'en-US')).toMatchObject({ items: [{ file: far }] });
    expect(resolvePrompt(embedded, { audio: join(directory, 'secret.wav') }, 'en-US')).toEqual({
      missing: expect.any(String),
    });
  });
});

describe('a flow that changes', () => {
  const saying = (name: string, text: string, more = ''): string =>
    `flow: ${name}\nstart: say\ndefaults: { exits: { error: $end } }\nsteps:\n  say: { play: "${text}", next: $end }\n${more}`;
  const calling = (name: string, called: string): string =>
    `flow: ${name}\nstart: sub\nsteps: { sub: { subflow: ${called}, exits: { error: $end }, next: $end } }\n`;

  it('is taken when it compiles, and stays as it was when it does not', () => {
    const library = new FlowLibrary(verbs);
    library.take('/a.flow.yaml', saying('a', 'Hello there'));
    const first = library.get('a')!;
    library.take('/a.flow.yaml', saying('a', 'Good day to you'));
    const second = library.get('a')!;
    expect(second.hash).not.toBe(first.hash);
    expect(library.take('/a.flow.yaml', 'flow: a\nsteps: 1\n').diagnostics).not.toEqual([]);
    expect(library.get('a')).toBe(second);
    expect(library.textOf('a')).toContain('Good day');
  });

  it('knows the flows that continue with it as those that call it', () => {
    const library = new FlowLibrary(verbs);
    library.take('/a.flow.yaml', saying('a', 'Hello there'));
    library.take('/b.flow.yaml', calling('b', 'a').replace('subflow:', 'continue:').replace(', next: $end', ''));
    expect(library.diagnostics()).toEqual([]);
    expect([library.callersOf('a'), library.callsOf('b')]).toEqual([['b'], ['a']]);
  });

  it('is compiled again with those that call it, by others too; one that breaks stays, and says why', () => {
    const library = new FlowLibrary(verbs);
    library.take('/a.flow.yaml', saying('a', 'Hello there'));
    library.take('/b.flow.yaml', calling('b', 'a'));
    library.take('/c.flow.yaml', calling('c', 'b'));
    expect(library.callersOf('a').sort()).toEqual(['b', 'c']);
    const [b, c] = [library.get('b'), library.get('c')];
    library.take(
      '/a.flow.yaml',
      saying('a', 'Hello there', '  gone: { return: gone }\n').replace('next: $end', 'next: gone'),
    );
    expect(library.get('b')).toBe(b);
    expect(library.get('c')).not.toBe(c);
    expect(library.diagnostics()).toMatchObject([{ code: 'unrouted-outcome', file: '/b.flow.yaml' }]);
    library.take('/a.flow.yaml', saying('a', 'Hello there'));
    expect(library.diagnostics()).toEqual([]);
  });

  it('is gone when its file is, and gives way to the one that comes with the program', () => {
    const library = new FlowLibrary(verbs).loadBuiltIn();
    const ours = library.get('rest-control');
    library.take('/mine.flow.yaml', saying('rest-control', 'Mine it is'));
    expect(library.get('rest-control')).not.toBe(ours);
    library.remove('/mine.flow.yaml');
    expect(library.get('rest-control')).toBe(ours);
    library.take('/a.flow.yaml', saying('a', 'Hello there'));
    library.remove('/a.flow.yaml');
    expect(library.get('a')).toBeUndefined();
  });

  it('does not take the name of another file’s', () => {
    const library = new FlowLibrary(verbs);
    library.take('/a.flow.yaml', saying('a', 'Hello there'));
    const { flow, diagnostics } = library.take('/b.flow.yaml', saying('a', 'Good day to you'));
    expect([flow, diagnostics]).toMatchObject([undefined, [{ code: 'duplicate-flow' }]]);
    expect(library.get('a')!.file).toBe('/a.flow.yaml');
  });
});
