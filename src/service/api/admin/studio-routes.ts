/** Admin routes for people who work together in the studio: presence, drafts and comments. */
import { visibleText } from '../../../base/core/control-characters.ts';
import { defined, type JsonObject } from '../../../base/core/json.ts';
import type { Comment } from '../../calls/studio/comments.ts';
import type { DraftHead } from '../../calls/studio/drafts.ts';
import type { Place } from '../../calls/studio/presence.ts';
import { ApiError } from '../api-error.ts';
import { bodyReader } from '../body-reader.ts';
import { readQuery } from '../query-parameters.ts';
import { iso } from '../response-bodies.ts';
import type { QueryParameter } from '../route.ts';
import { serveEvents } from '../server-sent-events.ts';
import { type AdminRoute, adminRoute, DONE, doneBody, many, one } from './admin-route.ts';

const FLOW = '/flows/{name}';

/** A heartbeat of each tab every 15 s, and one for each move. */
const PRESENCE_LIMIT = { perSecond: 10, burst: 60 };
const WRITE_LIMIT = { perSecond: 2, burst: 20 };

const MAX_WORD = 200;
const word = (name: string, description: string): QueryParameter => ({
  ...{ name, description, schema: { type: 'string' } },
  parse: (written) => (written.trim().length <= MAX_WORD ? visibleText(written.trim()) : undefined),
  expected: `at most ${MAX_WORD} characters`,
});
const PLACE: readonly QueryParameter[] = [
  word('tab', 'ID of the tab, chosen by it. With it, the request is the heartbeat of the tab, for 25 seconds.'),
  word('flow', 'Flow that is open in the tab. Without it, the tab is in no flow.'),
  word('step', 'Selected step.'),
  word('field', 'Path of the field that has the focus, such as `play.prompt`.'),
];

const readDraft = bodyReader('admin/draft');
const readComment = bodyReader('admin/comment');
const readChange = bodyReader('admin/comment-change');

export const STUDIO_ROUTES: readonly AdminRoute[] = [
  adminRoute('GET', '/studio/people', {
    summary: 'lists the people in the studio with their flow, step and field; with `tab`, reports the place of a tab',
    query: PLACE,
    response: many('people', 'studio-person'),
    errors: ['bad_request'],
    limit: PRESENCE_LIMIT,
    handle({ url, signedIn }, { studioPeople }) {
      const { tab, flow, step, field } = readQuery<Partial<Place> & { tab?: string }>(url, PLACE);
      const place = flow === undefined ? undefined : defined<Place>({ flow, step, field });
      if (tab !== undefined) studioPeople.report(signedIn.name, tab, place);
      return studioPeople.list().map((person) => ({ ...person }));
    },
  }),
  adminRoute('GET', '/studio/events', {
    summary:
      'streams what people in the studio do as server-sent events `people`, `saved` and `comments` ([people](admin.md#people-in-the-studio))',
    response: { status: 200, mediaType: 'text/event-stream' },
    handle: ({ res }, { studioStreams, calls }) => serveEvents(res, calls.clock, studioStreams.open),
  }),
  adminRoute('GET', '/studio/drafts', {
    summary: 'lists the drafts of the administrator, latest first',
    response: many('drafts', 'draft-head'),
    handle: ({ signedIn }, { drafts }) => drafts.of(signedIn.name).map(headBody),
  }),
  adminRoute('GET', `${FLOW}/draft`, {
    summary: 'returns the draft of the administrator: the unsaved text of a flow',
    response: one('draft'),
    errors: ['unknown_setting'],
    handle({ params, signedIn }, { drafts }) {
      const { text, ...head } = drafts.find(signedIn.name, params.name);
      return { ...headBody(head), text };
    },
  }),
  adminRoute('PUT', `${FLOW}/draft`, {
    summary: 'stores the draft of the administrator for 14 days; calls never use it',
    body: 'draft',
    response: one('draft-head'),
    errors: ['unknown_flow', 'text_too_large', 'list_full'],
    changesNothing: true,
    limit: WRITE_LIMIT,
    async handle({ params, body, signedIn }, { drafts, flowFiles }) {
      const { text, base } = readDraft(body);
      await flowFiles.find(params.name);
      return headBody(await drafts.put({ who: signedIn.name, flow: params.name, text, base }));
    },
  }),
  adminRoute('DELETE', `${FLOW}/draft`, {
    summary: 'discards the draft of the administrator',
    response: DONE,
    changesNothing: true,
    async handle({ params, signedIn }, parts) {
      await parts.drafts.remove(signedIn.name, params.name);
      return doneBody(parts);
    },
  }),
  adminRoute('GET', `${FLOW}/comments`, {
    summary: 'lists the comments on a flow, oldest first',
    response: many('comments', 'comment'),
    handle: ({ params }, { comments }) => comments.of(params.name).map(commentBody),
  }),
  adminRoute('POST', `${FLOW}/comments`, {
    summary: 'adds a comment on a flow, a step or a field of a step',
    body: 'comment',
    response: one('comment', 201),
    errors: ['unknown_flow', 'list_full'],
    limit: WRITE_LIMIT,
    async handle({ params, body, signedIn }, { comments, flowFiles }) {
      const { text, step, field } = readComment(body);
      if (field !== undefined && step === undefined)
        throw new ApiError('bad_request', 'a field needs its step', { hint: 'add `step`' });
      await flowFiles.find(params.name);
      const place = defined<Pick<Comment, 'step' | 'field'>>({ step, field });
      return commentBody(await comments.add({ flow: params.name, text, who: signedIn.name, ...place }));
    },
  }),
  adminRoute('PATCH', `${FLOW}/comments/{comment_id}`, {
    summary: 'marks a comment as done, or opens it again',
    body: 'comment-change',
    response: one('comment'),
    errors: ['unknown_setting'],
    async handle({ params, body, signedIn }, { comments }) {
      const { done } = readChange(body);
      return commentBody(await comments.setDone(params.name, params.comment_id, signedIn.name, done));
    },
  }),
  adminRoute('DELETE', `${FLOW}/comments/{comment_id}`, {
    summary: 'deletes a comment of the administrator',
    response: DONE,
    errors: ['unknown_setting', 'not_author'],
    async handle({ params, signedIn }, parts) {
      await parts.comments.remove(params.name, params.comment_id, signedIn.name);
      return doneBody(parts);
    },
  }),
];

const headBody = ({ flow, base, bytes, atMs }: DraftHead): JsonObject => ({ flow, base, bytes, saved: iso(atMs) });

const commentBody = ({ id, text, who, atMs, step, field, done }: Comment): JsonObject =>
  defined({
    ...{ comment_id: id, text, who, at: iso(atMs), step, field },
    done: done && { who: done.who, at: iso(done.atMs) },
  });
