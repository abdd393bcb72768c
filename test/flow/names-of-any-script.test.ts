/** Names of steps, choices and outcomes in any script: read, called, drawn, renamed and completed. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { compileDocument } from '../../src/language/flow/compile.ts';
import { diagramOf } from '../../src/language/flow/diagram.ts';
import { languageOf } from '../../src/language/flow/language.ts';
import { applyEdits, isRefusal } from '../../src/language/flow/text/edits.ts';
import { namesIn } from '../../src/language/flow/text/names.ts';
import { renameOutcome, renameStep } from '../../src/language/flow/text/rename.ts';
import { verbs } from '../../src/verbs/steps.ts';
import { callweave } from '../cli/command.ts';
import { succeeds } from '../scenarios/rehearse.ts';
import { brief, check, checkWhole, compiled } from './check-flow.ts';

const flowWith = (menu: string, choice: string, said: string): string => `flow: names
defaults: { exits: { error: bye } }
start: ${menu}
steps:
  ${menu}:
    menu: { prompt: "Press 1 or 2.", choices: { ${choice}: { dtmf: "1" }, other: { dtmf: "2" } }, no_input: "Are you there?", no_match: "Once more." }
    exits: { ${choice}: ${said}, other: ${said}, exhausted: bye }
  ${said}: { play: "You chose \${ steps.${menu}.choice }.", next: bye }
  bye: { play: "Thank you. Goodbye.", next: $end }
`;

const NAMES = [
  ['Latin', 'begrüßung', 'größe', 'würdigung'],
  ['Cyrillic', 'меню', 'продажи', 'ответ'],
  ['Arabic', 'القائمة', 'المبيعات', 'الجواب'],
  ['Devanagari', 'मुख्य_सूची', 'बिक्री', 'उत्तर'],
  ['Chinese', '菜单', '销售', '回答'],
] as const;

describe.each(NAMES)('names in %s', (_script, menu, choice, said) => {
  const text = flowWith(menu, choice, said);

  it('are accepted by the check, which suggests them', () => {
    expect(brief(check(text).diagnostics)).toEqual([]);
    const wrong = text.replace(`: ${said}, other`, `: ${said}x, other`);
    expect(check(wrong).diagnostics.map(({ code, hint }) => [code, hint])).toEqual([
      ['unknown-target', expect.stringContaining(said)],
    ]);
  });

  it('are the outcome of a call, in its journal and in tests', async () => {
    const { journal } = await succeeds(
      text,
      `script: [{ hear: Press 1 }, { press: "1" }, { hear: "You chose ${choice}" }]
expect: { path: [${menu}, ${said}, bye], outcomes: { ${menu}: ${choice} } }`,
    );
    expect(journal).toContainEqual(expect.objectContaining({ kind: 'left', step: menu, outcome: choice }));
  });

  it('are drawn as diagrams and pictures', async () => {
    const diagram = diagramOf(compiled(text));
    expect(diagram).toContain(`["${menu}<br/>menu"]`);
    const ids = [...diagram.matchAll(/^ {2}(\w+)\["/gm)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(3);
    const file = join(mkdtempSync(join(tmpdir(), 'callweave-names-')), 'names.flow.yaml');
    writeFileSync(file, text);
    const { out } = await callweave(['export', file, '--format', 'svg']);
    for (const name of [menu, choice, said]) expect(out).toContain(name);
  });

  it('are renamed, also in expressions', () => {
    const language = languageOf(verbs).verbs;
    const edits = renameStep(text, { from: menu, to: 'ask' }, language);
    const asked = isRefusal(edits) ? edits.refused : applyEdits(text, edits);
    expect(asked).toBe(flowWith('ask', choice, said));
    const back = renameStep(asked, { from: 'ask', to: menu }, language);
    expect(isRefusal(back) ? back.refused : applyEdits(asked, back)).toBe(text);
    const outcome = renameOutcome(text, menu, { from: choice, to: 'sales' }, language);
    expect(isRefusal(outcome) ? outcome.refused : applyEdits(text, outcome)).toBe(flowWith(menu, 'sales', said));
  });

  it('are found where they are used', () => {
    const { used } = namesIn(text, languageOf(verbs).verbs);
    expect(used.filter(({ kind, name }) => kind === 'step' && name === menu)).toHaveLength(2);
    expect(used.filter(({ name }) => name === said)).toHaveLength(2);
  });
});

describe('a name in composed and in decomposed characters', () => {
  const [composed, decomposed] = ['größe'.normalize('NFC'), 'größe'.normalize('NFD')];

  it('is the same name', async () => {
    const text = flowWith('ask', composed, 'said').replace(`exits: { ${composed}`, `exits: { ${decomposed}`);
    expect(text).toContain(decomposed);
    expect(brief(check(text).diagnostics)).toEqual([]);
    const { journal } = await succeeds(text, `script: [{ press: "1" }]\nexpect: { outcomes: { ask: ${decomposed} } }`);
    expect(journal).toContainEqual(expect.objectContaining({ step: 'ask', outcome: composed }));
  });

  it('is a duplicate, in YAML, in JSON and in a flow of a request', () => {
    const text = flowWith('ask', composed, 'said').replace(`other: { dtmf`, `${decomposed}: { dtmf`);
    expect(checkWhole(text).diagnostics.map(({ code, line }) => [code, line])).toEqual([['duplicate-key', 6]]);
    const json = JSON.stringify({ flow: 'a', start: 'x', steps: { [composed]: { hangup: 'normal' } } });
    const twice = json.replace('"steps":{', `"steps":{"${decomposed}":{"hangup":"normal"},`);
    expect(checkWhole(twice).diagnostics.map(({ code }) => code)).toEqual(['duplicate-key']);
    const escaped = json.replace('"steps":{', '"steps":{"gro\\u0308ße":{"hangup":"normal"},');
    expect(checkWhole(escaped).diagnostics.map(({ code }) => code)).toEqual(['duplicate-key']);
    expect(compileDocument(JSON.parse(twice), 'request', verbs).diagnostics.map(({ code }) => code)).toEqual([
      'not-json',
    ]);
  });
});

it.each([
  ['a control character', '"a\\u0007b"'],
  ['a character that turns the direction of text', '"a\\u202eb"'],
  ['an invisible character', '"a\\u200bb"'],
  ['a space', '"a b"'],
  ['an emoji', '"☎"'],
  ['65 characters', `"${'я'.repeat(65)}"`],
])('refuses %s in the name of a choice', (_what, name) => {
  const found = checkWhole(flowWith('ask', name, 'said')).diagnostics.filter(({ severity }) => severity === 'error');
  expect(found[0]).toMatchObject({ code: 'wrong-name', line: 6 });
});

it('accepts a name of 64 characters, also of those outside of the basic plane', () => {
  for (const letter of ['я', '𠀀']) {
    expect(brief(check(flowWith('ask', letter.repeat(64), 'said')).diagnostics)).toEqual([]);
  }
});
