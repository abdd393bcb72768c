/** Drafts on the service: when the unsaved text is sent, repeated and removed, with a service of the test. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Language } from '../../../src/language/flow/text/language.ts';
import { isOffline } from '../../../src/pages/studio/web/api.ts';
import { syncDraft } from '../../../src/pages/studio/web/flows/draft-sync.ts';
import { stateOf } from '../../../src/pages/studio/web/flows/draft-words.ts';
import { EditorDraft, type FoundDraft } from '../../../src/pages/studio/web/flows/flow-draft.ts';
import { language } from '../graph/flows.ts';

const TEXT = 'flow: hello\nstart: say\nsteps: { say: { hangup: } }\n';

let sent: { method: string; text?: string; base?: string }[];
/** Status of the answers to a draft; 0: no answer. */
let status: number;
let draft: EditorDraft;
let stop: () => void;

const open = (kept?: FoundDraft): void => {
  const file = { name: 'hello', text: TEXT, etag: 'a', built_in: false, diagnostics: [] };
  draft = new EditorDraft(file, { verbs: language } as unknown as Language, kept);
  stop = syncDraft(draft);
};
const drafts = () => sent.filter(({ method }) => method === 'PUT').map(({ text }) => text);

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse('2026-03-02T09:00:00Z') });
  [sent, status] = [[], 200];
  vi.stubGlobal('fetch', async (path: string, { method, body }: { method: string; body?: string }) => {
    if (path.endsWith('/check')) return new Response(JSON.stringify({ diagnostics: [] }));
    sent.push({ method, ...(body !== undefined && (JSON.parse(body) as { text: string; base: string })) });
    if (status === 0) throw new TypeError('no connection');
    const answer = { saved: new Date().toISOString(), msg: 'refused' };
    return new Response(JSON.stringify(answer), { status });
  });
});
afterEach(() => {
  stop();
  draft.close();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it('sends a change within five seconds, with its base, and continued typing as often', async () => {
  open();
  for (let second = 0; second < 10; second++) {
    draft.typedText(`${TEXT}# ${second}\n`);
    await vi.advanceTimersByTimeAsync(1000);
  }
  await vi.advanceTimersByTimeAsync(5000);
  expect(sent[0]).toEqual({ method: 'PUT', text: `${TEXT}# 2\n`, base: 'a' });
  expect(drafts().at(-1)).toBe(`${TEXT}# 9\n`);
  expect(drafts().length).toBeLessThan(6);
  expect(stateOf(draft)).toMatch(/^Draft · saved /);
});

it('removes the draft when the text is the saved one again', async () => {
  open();
  draft.typedText(`${TEXT}# more\n`);
  await vi.advanceTimersByTimeAsync(5000);
  draft.typedText(TEXT);
  await vi.advanceTimersByTimeAsync(5000);
  expect(sent.map(({ method }) => method)).toEqual(['PUT', 'DELETE']);
  expect(stateOf(draft)).toBe('');
});

it('sends nothing for a change that was undone at once', async () => {
  open();
  draft.typedText(`${TEXT}# more\n`);
  draft.typedText(TEXT);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(sent).toEqual([]);
});

it('keeps the work in the browser without a connection, and sends it afterwards', async () => {
  open();
  status = 0;
  draft.typedText(`${TEXT}# more\n`);
  await vi.advanceTimersByTimeAsync(5000);
  expect(stateOf(draft)).toBe('Not connected · your work is kept here');
  status = 200;
  await vi.advanceTimersByTimeAsync(5000);
  expect(stateOf(draft)).toMatch(/^Draft · saved /);
});

it('waits longer after each failure, and sends the text soon after the connection is back', async () => {
  open();
  status = 503;
  draft.typedText(`${TEXT}# more\n`);
  await vi.advanceTimersByTimeAsync(5 * 60_000);
  expect(sent.length).toBeLessThan(10);
  status = 0;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(stateOf(draft)).toBe('Not connected · your work is kept here');
  status = 200;
  sent = [];
  isOffline.value = false;
  await vi.advanceTimersByTimeAsync(3000);
  expect(sent).toHaveLength(1);
});

it.each([413, 409])('does not repeat a draft that is refused with %i until the next change', async (refused) => {
  open();
  status = refused;
  draft.typedText(`${TEXT}# more\n`);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(sent).toHaveLength(1);
  expect(stateOf(draft)).toBe('Draft · kept in this browser only');
  draft.typedText(`${TEXT}# less\n`);
  await vi.advanceTimersByTimeAsync(5000);
  expect(sent).toHaveLength(2);
});

it('keeps a found draft unchanged until its author decides about it', async () => {
  open({ text: `${TEXT}# before\n`, atMs: 0 });
  draft.typedText(`${TEXT}# now\n`);
  await vi.advanceTimersByTimeAsync(10_000);
  draft.typedText(TEXT);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(sent).toEqual([]);
  draft.forgetKept();
  draft.typedText(`${TEXT}# now\n`);
  await vi.advanceTimersByTimeAsync(5000);
  expect(sent.map(({ method }) => method)).toEqual(['DELETE', 'PUT']);
});

it('removes a draft that was continued and undone, and one that is the saved text', async () => {
  open({ text: `${TEXT}# before\n`, atMs: 0 });
  draft.typedText(`${TEXT}# before\n`);
  draft.kept.value = undefined;
  draft.typedText(TEXT);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(sent.map(({ method }) => method)).toEqual(['DELETE']);
  stop();
  draft.close();
  sent = [];
  open({ text: TEXT, atMs: 0 });
  await vi.advanceTimersByTimeAsync(0);
  expect(sent.map(({ method }) => method)).toEqual(['DELETE']);
});

it('sends the last change when the editor closes', async () => {
  open();
  draft.typedText(`${TEXT}# more\n`);
  stop();
  await vi.advanceTimersByTimeAsync(0);
  expect(drafts()).toEqual([`${TEXT}# more\n`]);
});
