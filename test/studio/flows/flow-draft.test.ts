/** Checks of an edited flow when the service is overloaded. */
import { afterEach, expect, it, vi } from 'vitest';
import type { Language } from '../../../src/language/flow/text/language.ts';
import { EditorDraft } from '../../../src/pages/studio/web/flows/flow-draft.ts';
import { language } from '../graph/flows.ts';

const TEXT = 'flow: hello\nstart: say\nsteps: { say: { hangup: } }\n';
const PROBLEM = {
  severity: 'error',
  code: 'wrong',
  message: 'it is wrong',
  file: 'hello.flow.yaml',
  line: 2,
  column: 8,
};

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** A service that answers checks with these responses, one after another. */
function open(answers: [status: number, body: object][]) {
  vi.useFakeTimers();
  const asked: string[] = [];
  vi.stubGlobal('fetch', async (_path: string, { body }: { body: string }) => {
    asked.push((JSON.parse(body) as { text: string }).text);
    const [status, answer] = answers.shift()!;
    return new Response(JSON.stringify(answer), { status });
  });
  const file = { name: 'hello', text: TEXT, etag: 'a', built_in: false, diagnostics: [] };
  const draft = new EditorDraft(file, { verbs: language } as unknown as Language);
  return { draft, asked };
}

const problemsOf = (draft: EditorDraft): string[] => draft.problems.value.map(({ message }) => message);

it.each([429, 503])('repeats a check after %i automatically, and only one at a time', async (status) => {
  const { draft, asked } = open([
    [status, { msg: 'too much' }],
    [200, { diagnostics: [PROBLEM] }],
  ]);
  draft.typedText(`${TEXT}# more\n`);
  await vi.advanceTimersByTimeAsync(150);
  expect([asked.length, problemsOf(draft), draft.isChecking.value]).toEqual([1, [], false]);
  await vi.advanceTimersByTimeAsync(1500);
  expect([asked, problemsOf(draft)]).toEqual([[`${TEXT}# more\n`, `${TEXT}# more\n`], ['it is wrong']]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked).toHaveLength(2);
});

it.each([
  ['was superseded', 409],
  ['the service refuses', 422],
])('does not repeat a check that %s', async (_, status) => {
  const { draft, asked } = open([[status, { msg: 'no' }]]);
  draft.typedText(`${TEXT}# more\n`);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked).toHaveLength(1);
});

it('does not repeat a check of a closed flow', async () => {
  const { draft, asked } = open([[429, { msg: 'too much' }]]);
  draft.typedText(`${TEXT}# more\n`);
  await vi.advanceTimersByTimeAsync(150);
  draft.close();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked).toHaveLength(1);
});
