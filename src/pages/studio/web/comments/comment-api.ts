/** Client for comments on flows. */
import { request } from '../api.ts';

export interface FlowComment {
  comment_id: string;
  text: string;
  who: string;
  /** ISO 8601. */
  at: string;
  /** The step can be gone from the flow. */
  step?: string;
  /** Path of the field in its step, such as `play.prompt`. */
  field?: string;
  done?: { who: string; at: string };
}

export type CommentPlace = Pick<FlowComment, 'step' | 'field'>;

const pathOf = (flow: string, id?: string): string =>
  `/admin/v1/flows/${encodeURIComponent(flow)}/comments${id === undefined ? '' : `/${encodeURIComponent(id)}`}`;

export const listComments = async (flow: string): Promise<FlowComment[]> =>
  (await request<{ comments: FlowComment[] }>(pathOf(flow))).comments;

export const addComment = (flow: string, text: string, place: CommentPlace): Promise<unknown> =>
  request(pathOf(flow), { method: 'POST', json: { text, ...place } });

export const setCommentDone = (flow: string, id: string, done: boolean): Promise<unknown> =>
  request(pathOf(flow, id), { method: 'PATCH', json: { done } });

export const deleteComment = (flow: string, id: string): Promise<unknown> =>
  request(pathOf(flow, id), { method: 'DELETE' });
