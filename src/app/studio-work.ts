/** Stage 4c of the composition: the people who work together in the studio, their drafts and comments. */
import { createComments } from '../service/calls/studio/comments.ts';
import { createDrafts } from '../service/calls/studio/drafts.ts';
import { createStudioPeople } from '../service/calls/studio/studio-people.ts';
import { memoryStudioTable, type StudioTable } from '../service/calls/studio/studio-table.ts';
import type { Base } from './base.ts';
import type { Storage } from './storage.ts';

export type StudioWork = ReturnType<typeof createStudioWork>;

/** `table` is shared by the nodes of a cluster; default: the people of this node only. */
export function createStudioWork({ clock, ids, state }: Base, { store }: Storage, table?: StudioTable) {
  const studioPeople = createStudioPeople({ table: table ?? memoryStudioTable(), clock });
  state.closers.push(() => studioPeople.close());
  const nowMs = (): number => clock.now();
  return {
    studioPeople,
    drafts: createDrafts({ store: store.settings, nowMs }),
    comments: createComments({
      ...{ store: store.settings, nowMs },
      nextId: () => ids.next('comment'),
      changed: studioPeople.commentsChanged,
    }),
  };
}
