/**
 * Comments on flows: talk between administrators, anchored at a flow, a step or a field of a step. They are not part of
 * the flow: neither its text nor its versions contain them. A comment keeps the name of its step when the step is gone.
 */
import { defined, type Json } from '../../../base/core/json.ts';
import { CallError } from '../call-error.ts';
import type { SettingStore } from '../settings/setting-store.ts';

export interface Comment {
  id: string;
  flow: string;
  step?: string;
  /** Path of the field in its step, such as `play.prompt`. */
  field?: string;
  text: string;
  /** Name of the administrator. */
  who: string;
  atMs: number;
  done?: { who: string; atMs: number };
}

export interface StepRename {
  from: string;
  to: string;
}

export interface Comments {
  /** Comments of a flow, oldest first. */
  of(flow: string): Comment[];
  /** Number of open comments by flow. */
  openCounts(): Map<string, number>;
  /** Throws `list_full`. */
  add(comment: Pick<Comment, 'flow' | 'step' | 'field' | 'text' | 'who'>): Promise<Comment>;
  /** Marks a comment as done, or opens it again. Throws `unknown_setting`. */
  setDone(flow: string, id: string, who: string, isDone: boolean): Promise<Comment>;
  /** Throws `unknown_setting`, or `not_author` for a comment of another person. */
  remove(flow: string, id: string, who: string): Promise<void>;
  removeFlow(flow: string): Promise<void>;
  /** Moves the comments of renamed steps, in this order. */
  rename(flow: string, renames: readonly StepRename[]): Promise<void>;
}

export interface CommentsParts {
  store: SettingStore;
  nowMs(): number;
  nextId(): string;
  /** Called after a change, here or on another node. */
  changed(): void;
}

const MAX_COMMENTS_OF_FLOW = 200;
const MAX_COMMENTS = 5000;

export function createComments({ store, nowMs, nextId, changed }: CommentsParts): Comments {
  const all = (): Comment[] => store.list('comment').map(({ value }) => value as unknown as Comment);
  const of = (flow: string): Comment[] => all().filter((comment) => comment.flow === flow);
  // A store that nodes share reports the changes of this node, too.
  store.onChange?.((kind) => {
    if (kind === 'comment') changed();
  });
  const changedHere = (): void => {
    if (!store.onChange) changed();
  };
  const put = async (comment: Comment): Promise<Comment> => {
    await store.put({ kind: 'comment', key: comment.id, value: comment as unknown as Json });
    return comment;
  };
  const find = (flow: string, id: string): Comment => {
    const found = store.find('comment', id) as unknown as Comment | undefined;
    if (found?.flow === flow) return found;
    throw new CallError('unknown_setting', 'there is no such comment');
  };

  return {
    of,
    openCounts() {
      const open = all().filter(({ done }) => done === undefined);
      return new Map([...Map.groupBy(open, ({ flow }) => flow)].map(([flow, comments]) => [flow, comments.length]));
    },
    async add(given) {
      const comments = all();
      const own = comments.filter(({ flow }) => flow === given.flow);
      if (comments.length >= MAX_COMMENTS || own.length >= MAX_COMMENTS_OF_FLOW)
        throw new CallError('list_full', `a flow can have at most ${MAX_COMMENTS_OF_FLOW} comments`, {
          hint: 'delete comments that are done',
        });
      const added = await put(defined<Comment>({ ...given, id: nextId(), atMs: nowMs() }));
      changedHere();
      return added;
    },
    async setDone(flow, id, who, isDone) {
      const { done: _, ...comment } = find(flow, id);
      const marked = await put({ ...comment, ...(isDone && { done: { who, atMs: nowMs() } }) });
      changedHere();
      return marked;
    },
    async remove(flow, id, who) {
      if (find(flow, id).who !== who)
        throw new CallError('not_author', 'only its author can delete a comment', { hint: 'mark it as done' });
      await store.remove('comment', id);
      changedHere();
    },
    async removeFlow(flow) {
      const gone = of(flow);
      for (const { id } of gone) await store.remove('comment', id);
      if (gone.length > 0) changedHere();
    },
    async rename(flow, renames) {
      let isChanged = false;
      for (const comment of renames.length === 0 ? [] : of(flow)) {
        const step = renames.reduce((name, { from, to }) => (name === from ? to : name), comment.step);
        if (step === undefined || step === comment.step) continue;
        await put({ ...comment, step });
        isChanged = true;
      }
      if (isChanged) changedHere();
    },
  };
}
