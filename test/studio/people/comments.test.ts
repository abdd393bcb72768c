/** Comments in the client: mentions, counts by step, renames, and the notes that they become. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Language } from '../../../src/language/flow/text/language.ts';
import type { FlowComment } from '../../../src/pages/studio/web/comments/comment-api.ts';
import {
  comments,
  followComments,
  openCounts,
  partsOfText,
} from '../../../src/pages/studio/web/comments/comment-store.ts';
import { EditorDraft } from '../../../src/pages/studio/web/flows/flow-draft.ts';
import { addNote, stepNow } from '../../../src/pages/studio/web/flows/step-notes.ts';
import { commentChanges } from '../../../src/pages/studio/web/people/people-store.ts';
import { session } from '../../../src/pages/studio/web/shell/session.ts';
import type { TextHandle } from '../../../src/pages/studio/web/text/text-handle.ts';
import { language } from '../graph/flows.ts';

const TEXT = `flow: hello
start: say
steps:
  # Heard first
  say: { hangup: }
`;

let draft: EditorDraft;
beforeEach(() => {
  const file = { name: 'hello', text: TEXT, etag: 'a', built_in: false, diagnostics: [] };
  draft = new EditorDraft(file, { verbs: language } as unknown as Language);
});
afterEach(() => {
  draft.close();
  vi.unstubAllGlobals();
});

it.each([
  ['@bea look', ['@bea']],
  ['ask @Bea Miller, or @bea', ['@Bea Miller', '@bea']],
  ['mail to a@bea.example, @beatrix', []],
  ['(@BEA)', ['@BEA']],
])('finds the mentions in %j', (text, mentions) => {
  const parts = partsOfText(text, ['bea', 'Bea Miller', 'c++']);
  expect(parts.flatMap((part) => (part.isMention ? part.text : []))).toEqual(mentions);
  expect(parts.map((part) => part.text).join('')).toBe(text);
});

it('counts the open comments at each step under its present name', () => {
  const comment = { comment_id: '1', text: 'x', who: 'bea', at: '2026-03-02T09:00:00Z' };
  const done = { who: 'ann', at: comment.at };
  const list = [{ ...comment, step: 'say' }, { ...comment, step: 'say', done }, comment, { ...comment, step: 'bye' }];
  draft.typedText(TEXT.replaceAll('say', 'greet'));
  draft.renames.push({ kind: 'step', from: 'say', to: 'greet' });
  expect([...openCounts(list, (step) => stepNow(draft, step))]).toEqual([
    ['greet', 1],
    ['bye', 1],
  ]);
});

it('writes a comment below the note that the step has', () => {
  const handle = {
    change: (edits: { from: number; to: number; insert: string }[]) => {
      const [{ from, to, insert }] = edits as [(typeof edits)[0]];
      draft.typedText(draft.text.peek().slice(0, from) + insert + draft.text.peek().slice(to));
    },
  } as unknown as TextHandle;
  expect(addNote(draft, handle, 'say', 'Ask Ann\nbefore a change')).toBeUndefined();
  expect(draft.text.value).toBe(TEXT.replace('# Heard first\n', '# Heard first\n  # Ask Ann\n  # before a change\n'));
  expect(addNote(draft, handle, 'gone', 'x')).toContain('gone');
});

it('reads the comments again with each reported change, and reports a new mention', async () => {
  session.value = { role: 'admin', name: 'ann', projects: [] };
  const answers: FlowComment[][] = [[of('bea', 'old @ann')], [of('bea', 'old @ann'), of('bea', 'new @ann')]];
  let answered = 0;
  vi.stubGlobal('fetch', async () => new Response(JSON.stringify({ comments: answers[answered++] })));
  const mentions: string[] = [];
  const stop = followComments('hello', ({ text }) => mentions.push(text));
  await vi.waitFor(() => expect(comments.value).toHaveLength(1));
  commentChanges.value += 1;
  await vi.waitFor(() => expect(comments.value).toHaveLength(2));
  expect(mentions).toEqual(['new @ann']);
  stop();
  commentChanges.value += 1;
  expect([answered, comments.value]).toEqual([2, []]);
});

const of = (who: string, text: string): FlowComment => ({ comment_id: text, text, who, at: '2026-03-02T09:00:00Z' });
