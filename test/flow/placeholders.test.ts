/** Words in square brackets: a warning, and speech without the brackets. */
import { describe, expect, it } from 'vitest';
import { isPlaceholder } from '../../src/language/flow/placeholders.ts';
import { resolvePrompt } from '../../src/language/flow/prompts.ts';
import { around, check, compiled, findings } from './check-flow.ts';

describe('placeholder words', () => {
  it('are warned of in short and long prompts, in the table, and in other words of a step', () => {
    const steps = `  first: { play: "[What should be said?]", next: long }
  long: { play: { prompt: [greeting, { text: "[And what then?]" }] }, next: send }
  send: { message: { to: "+33612345678", text: "[What should it say?]" }, exits: { sent: note, refused: bye } }
  note: { log: "[What should be noted?]", next: bye }`;
    const found = findings(around(steps, 'prompts: { greeting: "[Which greeting?]" }\n'));
    expect(found.filter((line) => line.endsWith('placeholder?'))).toEqual([
      '2:22 placeholder?',
      '6:18 placeholder?',
      '7:46 placeholder?',
      '8:48 placeholder?',
      '9:16 placeholder?',
    ]);
  });

  it('are named in the message, with a hint', () => {
    const [found] = check(around('  first: { play: "[What should be said?]", next: bye }')).diagnostics;
    expect(found).toMatchObject({
      code: 'placeholder',
      severity: 'warning',
      message: '`[What should be said?]` is still a placeholder',
      hint: 'write the words',
    });
  });

  it('are words wholly in brackets, and nothing that other steps send', () => {
    expect(['[Say what?]', ' [ Say what? ] '].map(isPlaceholder)).toEqual([true, true]);
    expect(['[1, 2]', '[key]', 'Hello [name here].', '[a b] [c d]', '[a ${ b } c]'].map(isPlaceholder)).toEqual([
      ...[false, false, false, false, false],
    ]);
    const post =
      '  first: { request: { post: "https://a.example", body: "[one, two]" }, exits: { ok: bye, failed: bye } }';
    expect(findings(around(post))).not.toContainEqual(expect.stringContaining('placeholder'));
  });

  it('are spoken without the brackets', () => {
    const flow = compiled(around('  first: { play: "[What should be said?]", next: bye }'));
    const { items } = resolvePrompt(flow, '[What should be said?]', 'en-US') as { items: unknown[] };
    expect(items).toMatchObject([{ type: 'speech', text: 'What should be said?' }]);
  });
});
