/** Saves of other people while a flow is open: which of them are reported, and how they are merged. */
import { signal } from '@preact/signals';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Language } from '../../../src/language/flow/text/language.ts';
import { EditorDraft } from '../../../src/pages/studio/web/flows/flow-draft.ts';
import {
  authorOf,
  changesIn,
  followSaves,
  loadNewer,
  type NewerVersion,
} from '../../../src/pages/studio/web/flows/newer-version.tsx';
import { recordSave } from '../../../src/pages/studio/web/people/people-store.ts';
import type { TextHandle } from '../../../src/pages/studio/web/text/text-handle.ts';
import { language } from '../graph/flows.ts';

const TEXT = `flow: hello
start: say
steps:
  say: { hangup: }
  bye: { hangup: }
`;
const THEIRS = TEXT.replace('say: { hangup: }', 'say: { hangup: normal }');
const verbs = { verbs: language } as unknown as Language;

let stored: { text: string; etag: string };
let newer: ReturnType<typeof signal<NewerVersion | undefined>>;
let draft: EditorDraft;
let stop: () => void;

beforeEach(() => {
  stored = { text: TEXT, etag: 'a' };
  vi.stubGlobal('fetch', async () => new Response(JSON.stringify({ name: 'hello', diagnostics: [], ...stored })));
  draft = new EditorDraft({ name: 'hello', text: TEXT, etag: 'a', built_in: false, diagnostics: [] }, verbs);
  newer = signal<NewerVersion | undefined>(undefined);
  recordSave({ flow: 'hello', who: 'ann', etag: 'a', at: '2026-03-02T09:00:00Z' });
  stop = followSaves(draft, newer, language);
});
afterEach(() => {
  stop();
  draft.close();
  vi.unstubAllGlobals();
});

const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));
const savedBy = async (who: string): Promise<void> => {
  stored = { text: THEIRS, etag: 'b' };
  recordSave({ flow: 'hello', who, etag: 'b', version_number: 14, at: '2026-03-02T09:01:00Z' });
  await settled();
};
/** The part of the text editor that a merge uses. */
const handle = (): TextHandle =>
  ({
    get text() {
      return draft.text.peek();
    },
    change: ([{ insert }]: [{ insert: string }]) => draft.typedText(insert),
  }) as unknown as TextHandle;

it('reports a newer version with its author and the number of changed steps', async () => {
  expect(newer.value).toBeUndefined();
  await savedBy('bea');
  expect(newer.value).toEqual({ text: THEIRS, etag: 'b', who: 'bea', number: 14, changes: '1 step changed' });
  expect(authorOf('hello', 'b')).toBe('bea');
  expect(authorOf('hello', 'c')).toBeUndefined();
});

it('waits for the answer to a save of its own', async () => {
  draft.isSaving.value = true;
  await savedBy('ann');
  expect(newer.value).toBeUndefined();
  draft.file.value = { ...draft.file.value, ...stored };
  draft.isSaving.value = false;
  await settled();
  expect(newer.value).toBeUndefined();
});

it('ignores a save after which the file was changed back', async () => {
  recordSave({ flow: 'hello', who: 'bea', etag: 'b', at: '2026-03-02T09:01:00Z' });
  await settled();
  expect(newer.value).toBeUndefined();
});

it('merges it with unsaved changes to other steps, and forgets it', async () => {
  draft.typedText(TEXT.replace('bye: { hangup: }', 'bye: { hangup: busy }'));
  await savedBy('bea');
  loadNewer(draft, newer.value!, handle());
  expect(draft.text.value).toBe(THEIRS.replace('bye: { hangup: }', 'bye: { hangup: busy }'));
  expect([newer.value, draft.conflict.value, draft.file.value.etag]).toEqual([undefined, undefined, 'b']);
});

it('asks about a step that both have changed', async () => {
  draft.typedText(TEXT.replace('say: { hangup: }', 'say: { hangup: busy }'));
  await savedBy('bea');
  const before = draft.text.value;
  loadNewer(draft, newer.value!, handle());
  expect([draft.text.value, draft.conflict.value?.etag]).toEqual([before, 'b']);
});

it.each([
  ['# more\n', 'comments or layout changed'],
  ['prompts: { hello: Hello }\n', 'prompts changed'],
])('describes a change outside of the steps: %j', (more, words) => {
  expect(changesIn(TEXT, TEXT + more, language)).toBe(words);
});
