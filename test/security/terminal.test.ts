/** Untrusted texts on a terminal: flows, tests, journals, names of callers. */
import { describe, expect, it } from 'vitest';
import { escapeControls, onOneLine } from '../../src/base/core/control-characters.ts';
import { callweave, folderOf } from '../cli/command.ts';

const TITLE = '\x1b]0;owned\x07';
const CLEAR = '\x1b[2J';
const dangerous = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/;

describe('terminal control sequences', () => {
  it.each<[string, string]>([
    [`a${CLEAR}b`, 'a\\u001b[2Jb'],
    [`a${TITLE}b`, 'a\\u001b]0;owned\\u0007b'],
    ['a\x9b2Jb', 'a\\u009b2Jb'],
    ['a\rb\bc\x7fd', 'a\\u000db\\u0008c\\u007fd'],
    ['user \u202egnp.exe', 'user \\u202egnp.exe'],
    ['\x1b[8mhidden\x1b[0m', '\\u001b[8mhidden\\u001b[0m'],
    ['\x1b[31mred\x1b[39m and \x1b[1mbold\x1b[22m', '\x1b[31mred\x1b[39m and \x1b[1mbold\x1b[22m'],
    ['two\nlines\tand a tab, ä, 中, 👍', 'two\nlines\tand a tab, ä, 中, 👍'],
  ])('shows them as visible text: %j', (text, shown) => {
    expect(escapeControls(text)).toBe(shown);
  });

  it('keeps a text on its line where output is line by line', () => {
    expect(onOneLine('a\nb\r\u2028c')).toBe('a\\u000ab\\u000d\\u2028c');
  });
});

describe('the commands of the CLI', () => {
  const FLOW = (name: string, text: string) =>
    `flow: ${name}\nstart: a\ndefaults: { exits: { error: bye } }\nsteps:\n  a: { play: "hello ${text} there", next: bye }\n  bye: { hangup: normal }\n`;

  it('prints no control sequences of a flow, a test or a journal', async () => {
    using folder = folderOf({
      'bad.flow.yaml': 'flow: bad\nstart: a\nsteps:\n  "\x1b[2Jboo": { hangup: normal, "\u202eevil": 1 }\n',
      'good.flow.yaml': FLOW('good', '\\e[2J\\e]0;owned\\a'),
      'good.test.yaml': 'test: "na\\e[2Jme"\nflow: good\nscript: [{ hear: "x\\e[2Jy" }]\n',
      'call.journal.jsonl': [
        {
          kind: 'started',
          seq: 1,
          atMs: 0,
          direction: 'inbound',
          from: `${CLEAR}\n    9.999  call is faked`,
          to: 'x',
          flow: 'f',
          flowHash: 'h'.repeat(64),
          input: {},
          seed: 1,
          locale: 'en',
          env: {},
        },
        { kind: 'log', seq: 2, atMs: 1, level: 'info', message: `${TITLE}\nfake`, fields: {} },
      ]
        .map((entry) => JSON.stringify(entry))
        .join('\n'),
    });
    const ran = await Promise.all([
      callweave(['check', '.'], { cwd: folder.path }),
      callweave(['check', '--json', '.'], { cwd: folder.path }),
      callweave(['test', '.'], { cwd: folder.path }),
      callweave(['call', 'good.flow.yaml'], { cwd: folder.path }),
      callweave(['trace', 'call.journal.jsonl'], { cwd: folder.path }),
      callweave(['trace', '--json', 'call.journal.jsonl'], { cwd: folder.path }),
      callweave(['trace', `no${CLEAR}where.jsonl`], { cwd: folder.path }),
    ]);
    for (const { out, err } of ran) expect(out + err).not.toMatch(dangerous);
    expect(ran[0]!.out).toContain('\\u001b[2Jboo');
    expect(ran[1]!.json()).toMatchObject({ ok: false });
    expect(ran[2]!.out).toContain('na\\u001b[2Jme');
    expect(ran[3]!.out).toContain('hello');
    expect(ran[4]!.out.trim().split('\n')).toHaveLength(3);
  });
});
