/** Comments on the open flow. They are read again with each change that the event stream reports. */
import { effect, signal } from '@preact/signals';
import { commentChanges, ownName } from '../people/people-store.ts';
import { type FlowComment, listComments } from './comment-api.ts';

export const comments = signal<readonly FlowComment[]>([]);

/** Reads the comments again after an own change. */
export async function readComments(flow: string): Promise<void> {
  comments.value = await listComments(flow);
}

/** `mentioned` is called with a new comment that mentions this person. Returns a function that ends it. */
export function followComments(flow: string, mentioned: (comment: FlowComment) => void): () => void {
  let isOver = false;
  let known: ReadonlySet<string> | undefined;
  const read = async (): Promise<void> => {
    const found = await listComments(flow).catch(() => undefined);
    if (isOver || found === undefined) return;
    for (const comment of found)
      if (known?.has(comment.comment_id) === false && isMentioned(comment)) mentioned(comment);
    known = new Set(found.map(({ comment_id }) => comment_id));
    comments.value = found;
  };
  const end = effect(() => {
    void commentChanges.value;
    void read();
  });
  return () => {
    isOver = true;
    end();
    comments.value = [];
  };
}

/** True if another person mentions this one. */
function isMentioned({ who, text }: FlowComment): boolean {
  const own = ownName();
  return own !== undefined && who !== own && partsOfText(text, [own]).some(({ isMention }) => isMention);
}

/** Splits a text into mentions of these people and the rest. Names can contain spaces; the longest one wins. */
export function partsOfText(text: string, names: readonly string[]): { text: string; isMention: boolean }[] {
  const longestFirst = names.toSorted((one, other) => other.length - one.length).map(escaped);
  if (longestFirst.length === 0) return [{ text, isMention: false }];
  const mention = new RegExp(`(?<![\\p{L}\\p{N}])@(?:${longestFirst.join('|')})(?![\\p{L}\\p{N}])`, 'giu');
  const parts: { text: string; isMention: boolean }[] = [];
  let at = 0;
  for (const { 0: found, index } of text.matchAll(mention)) {
    if (index > at) parts.push({ text: text.slice(at, index), isMention: false });
    parts.push({ text: found, isMention: true });
    at = index + found.length;
  }
  if (at < text.length) parts.push({ text: text.slice(at), isMention: false });
  return parts;
}

const escaped = (name: string): string => name.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

/** Number of open comments at each step. `stepNow` returns the present name of a step. */
export function openCounts(
  list: readonly FlowComment[],
  stepNow: (step: string) => string,
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { step, done } of list) {
    if (step === undefined || done !== undefined) continue;
    const name = stepNow(step);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}
