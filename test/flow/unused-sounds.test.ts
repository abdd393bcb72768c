/** Sound files that no flow of a folder plays. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { FlowLibrary } from '../../src/language/flow/flow-library.ts';
import { truncatedSounds, unusedSounds } from '../../src/language/flow/unused-sounds.ts';
import { verbs } from '../../src/verbs/steps.ts';
import { folderOf } from '../cli/command.ts';
import { brief } from './check-flow.ts';

const flow = (name: string, play: string, head = ''): string => `flow: ${name}
${head}defaults: { exits: { error: bye } }
vars: { key: { type: string, default: one } }
start: greet
steps:
  greet: { play: ${play}, next: bye }
  bye: { hangup: normal }
`;

function unusedOf(files: Record<string, string>): { found: string[]; messages: string[] } {
  using folder = folderOf(files);
  const sources = new FlowLibrary(verbs).load(folder.path).sources();
  const diagnostics = unusedSounds(sources, verbs);
  const messages = diagnostics.map(({ message }) => message);
  return { found: brief(diagnostics), messages };
}

it('finds none that a flow under `flows` plays', () => {
  const local =
    'flows:\n  thank: { start: say, steps: { say: { play: thanks, exits: { done: $end, error: $end } } } }\n';
  const main = flow('a', 'hello').replace('play: hello, next', 'subflow: thank, next');
  const files = { 'a.flow.yaml': main + local, 'prompts/thanks.wav': '', 'prompts/hello.wav': '' };
  const { messages } = unusedOf(files);
  expect(messages).toEqual([expect.stringContaining('hello.wav')]);
});

it.each([
  ['a file of the directory', { 'a.flow.yaml': flow('a', 'hello'), 'prompts/hello.wav': '', 'prompts/old.wav': '' }],
  ['a file in another spelling', { 'a.flow.yaml': flow('a', 'old'), 'prompts/old.txt': 'Hi.', 'prompts/Old.wav': '' }],
  [
    'a file of a language',
    { 'a.flow.yaml': flow('a', 'hello'), 'prompts/hello.wav': '', 'prompts/fr-FR/old.ulaw': '' },
  ],
  ['a file that no template can give', { 'a.flow.yaml': flow('a', '"n_${ vars.key }"'), 'prompts/n1.wav': '' }],
  [
    'what the sounds of another directory are called',
    {
      'a.flow.yaml': flow('a', 'hello', 'prompts: sounds\n'),
      'b/b.flow.yaml': flow('b', '{ audio: hello.wav }'),
      'sounds/hello.wav': '',
      'sounds/b.wav': '',
      'b/prompts/hello.wav': '',
    },
  ],
])('finds unused sounds: %s', (_what, files) => {
  const isNamed = files['a.flow.yaml'].includes('prompts:');
  expect(unusedOf(files).found).toEqual([isNamed ? '2:1 unused-sound?' : '1:1 unused-sound?']);
});

it('names the files, the first of many', () => {
  const many = Object.fromEntries(Array.from({ length: 7 }, (_, at) => [`prompts/old${at}.wav`, '']));
  const { messages } = unusedOf({ 'a.flow.yaml': flow('a', 'one'), 'prompts/one.txt': 'One.', ...many });
  const named = [0, 1, 2, 3, 4].map((at) => `\`${join('prompts', `old${at}.wav`)}\``).join(', ');
  expect(messages).toEqual([`no flow plays ${named} and 2 more`]);
});

it.each([
  ['what another flow of the folder plays', { 'a.flow.yaml': flow('a', 'one'), 'b.flow.yaml': flow('b', 'two') }],
  ['what a template may give', { 'a.flow.yaml': flow('a', '["t${ vars.key }", { audio: "one.${ vars.key }" }]') }],
  ['anything where an expression chooses', { 'a.flow.yaml': flow('a', '"${ vars.key }"') }],
  [
    'what the table of prompts says',
    {
      'a.flow.yaml': flow('a', 'both', 'prompts: { both: [{ audio: ./one.wav }, { audio: prompts/two.wav }] }\n'),
    },
  ],
  ['files as long as a flow has an error', { 'a.flow.yaml': flow('a', 'one'), 'b.flow.yaml': 'flow: b\nstart: c\n' }],
  [
    'files that the author keeps',
    { 'a.flow.yaml': flow('a', 'one', 'check: { unused-sound: for the next season }\n') },
  ],
])('does not report %s as unused', (_what, flows) => {
  expect(unusedOf({ ...flows, 'prompts/one.wav': '', 'prompts/two.wav': '' }).found).toEqual([]);
});

it('reports a truncated file once, with what it lacks, unless the flow silences it', () => {
  const files = (head = '') => ({
    'a.flow.yaml': flow('a', 'hello', head),
    'b.flow.yaml': flow('b', 'hello', head),
    'prompts/hello.wav': 'x',
    'prompts/whole.wav': 'y',
  });
  const truncatedOf = (head?: string) => {
    using folder = folderOf(files(head));
    const sources = new FlowLibrary(verbs).load(folder.path).sources();
    return truncatedSounds(sources, (file) => (file.endsWith('hello.wav') ? 'it has 2 of 8 bytes' : undefined));
  };
  const [only, ...rest] = truncatedOf();
  expect(rest).toEqual([]);
  expect(brief([only!])).toEqual(['1:1 truncated-sound?']);
  expect(only!.message).toBe('`prompts/hello.wav` is truncated: it has 2 of 8 bytes');
  expect(truncatedOf('check: { truncated-sound: the engine adds silence }\n')).toEqual([]);
});
