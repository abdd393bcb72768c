/** Flows under `flows` of a file: what is wrong with them, and by which names they are found. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { FlowLibrary } from '../../src/language/flow/flow-library.ts';
import { verbs } from '../../src/verbs/steps.ts';
import { brief, checkWhole } from './check-flow.ts';

const MAIN = `flow: main
prompts: { hello: Hello., bye: Goodbye. }
defaults: { exits: { error: bye } }
start: hello
steps:
  hello: { play: hello, next: ask }
  ask: { subflow: ask, exits: { agent: ring, done: bye } }
  ring: { bridge: { to: "user:alice" }, exits: { completed: bye, failed: bye } }
  bye: { hangup: normal }
flows:
  ask:
    start: choose
    steps:
      choose:
        menu: { prompt: "Press 1 for an agent.", choices: { agent: { dtmf: "1" } }, attempts: 1 }
        exits: { agent: agent, exhausted: thank, error: thank }
      agent: { return: agent }
      thank: { subflow: thank, exits: { done: $end, error: $end } }
  thank:
    start: bye
    steps:
      bye: { play: bye, exits: { done: $end, error: $end } }
`;

/** The text with these parts replaced; « stands before the place where a finding is expected. */
function findings(parts: readonly string[], others: readonly string[] = []): { found: string[]; place: string } {
  let marked = MAIN;
  for (let at = 0; at < parts.length; at += 2) {
    expect(marked.split(parts[at]!).length, `${parts[at]} stands in the flow once`).toBe(2);
    marked = marked.replace(parts[at]!, () => parts[at + 1]!);
  }
  const before = marked.split('«')[0]!.split('\n');
  const knownFlows = new Map(others.map((name) => [name, { returns: ['done'], calls: [] }]));
  return {
    found: brief(checkWhole(marked.replace('«', ''), { knownFlows }).diagnostics),
    place: `${before.length}:${before.at(-1)!.length + 1}`,
  };
}

describe('is found', () => {
  it.each<[code: string, parts: string[], others?: string[]]>([
    ['unknown-flow', ['subflow: ask,', 'subflow: «aks,']],
    ['unknown-flow', ['subflow: thank,', 'subflow: «thanks,']],
    ['unknown-flow', ['subflow: thank,', 'subflow: «other/thank,']],
    [
      'cyclic-subflow',
      [
        'subflow: thank,',
        'subflow: «ask,',
        '  thank:\n    start: bye\n    steps:\n      bye: { play: bye, exits: { done: $end, error: $end } }\n',
        '',
        ', bye: Goodbye.',
        '',
      ],
    ],
    [
      'unrouted-outcome',
      ['  ask: { subflow: ask, exits: { agent: ring, done: bye } }', '  «ask: { subflow: ask, exits: { done: ring } }'],
    ],
    ['unknown-target', ['exhausted: thank,', 'exhausted: «bye,']],
    [
      'unreachable-step?',
      [
        '      agent: { return: agent }',
        '      «away: { return: away }\n      agent: { return: agent }',
        'done: bye } }\n',
        'done: bye, away: bye } }\n',
      ],
    ],
    ['missing-prompt', ['play: bye,', 'play: «by,', ', bye: Goodbye.', '']],
    [
      'unused-prompt?',
      ['prompts: { hello: Hello., bye: Goodbye. }', 'prompts:\n  hello: Hello.\n  bye: Goodbye.\n  «more: More.'],
    ],
    ['unused-flow?', ['  thank:\n', '  «lonely: { start: end, steps: { end: { return: done } } }\n  thank:\n']],
    ['hides-flow?', ['  thank:\n', '  «thank:\n'], ['thank']],
    ['unknown-key', ['  thank:\n    start', '  thank:\n    «flow: thank\n    start']],
    [
      'unknown-key',
      [
        '  thank:\n    start',
        '  thank:\n    «flows: { more: { start: end, steps: { end: { return: done } } } }\n    start',
      ],
    ],
    ['unknown-key', ['  thank:\n    start', '  thank:\n    «begin: bye\n    start']],
    ['missing-key', ['  thank:\n    start: bye\n', '  «thank:\n']],
    ['wrong-type', ['  thank:\n', '  lonely: «hello\n  thank:\n']],
    ['wrong-name', ['  thank:\n', '  «very/lonely: { start: end, steps: { end: { return: done } } }\n  thank:\n']],
    ['unknown-verb', ['{ play: bye,', '{ «playy: bye,']],
  ])('reports %s for %j', (code, parts, others) => {
    const { found, place } = findings(parts, others);
    expect(found).toEqual([`${place} ${code}`]);
  });
});

it('accepts the file as it is, whatever other flows there are', () => {
  expect(findings([], ['other', 'main']).found).toEqual([]);
});

it('treats all flows as used if an application or a template can name them', () => {
  const lonely = ['  thank:\n', '  lonely: { start: end, steps: { end: { return: done } } }\n  thank:\n'];
  expect(findings([...lonely, 'subflow: ask,', 'subflow: { flow: "${ call.to }", outcomes: [agent] },']).found).toEqual(
    [],
  );
});

describe('a folder of flows', () => {
  function libraryOf(files: Readonly<Record<string, string>>): FlowLibrary {
    const folder = mkdtempSync(join(tmpdir(), 'local-flows-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, `${name}.flow.yaml`), text);
    return new FlowLibrary(verbs).load(folder);
  }
  const caller = `flow: caller
start: thank
steps: { thank: { subflow: main/thank, exits: { done: bye, error: bye } }, bye: { hangup: normal } }
`;

  it('has the flows of a file by the name of the file’s flow and their own', () => {
    const library = libraryOf({ main: MAIN, caller });
    expect(library.diagnostics()).toEqual([]);
    expect(library.names()).toEqual(['caller', 'main', 'main/ask', 'main/thank']);
    expect(library.get('main/ask')).toMatchObject({ name: 'main/ask', start: 'choose', returns: ['agent', 'done'] });
    expect(library.get('main/ask')!.file).toBe(library.get('main')!.file);
    expect(library.get('ask')).toBeUndefined();
    expect(library.callersOf('main/thank').sort()).toEqual(['caller', 'main', 'main/ask']);
  });

  it('takes a file with all of its flows, and those that call them are compiled again', () => {
    const library = libraryOf({ main: MAIN, caller });
    const { file } = library.get('main')!;
    const before = library.get('main/ask')!;
    const [main, thank] = ['main', 'main/thank'].map((name) => library.get(name)!.hash);
    const changed = MAIN.replace('Press 1 for', 'Press one for');
    expect(library.take(file, changed).flow?.hash).not.toBe(main);
    expect(library.get('main/ask')!.hash).not.toBe(before.hash);
    expect(library.get('main/thank')!.hash).toBe(thank);

    library.take(file, MAIN.replaceAll('thank', 'thanks'));
    expect(library.get('main/thank')).toBeUndefined();
    expect(library.diagnostics().map(({ code }) => code)).toEqual(['unknown-flow']);
  });

  it('takes none of the flows of a file in which one is wrong', () => {
    const library = libraryOf({ main: MAIN.replace('play: bye', 'play: by') });
    expect(library.names()).toEqual([]);
    expect(library.diagnostics().map(({ code }) => code)).toContain('missing-prompt');
  });
});
