/** Lists that are one over all nodes: what a route says of its own. Neighbour: `list-over-nodes.ts` makes them one. */
import type { Request, Response } from 'express';
import type { JsonObject } from '../core/json.ts';

/** How entries are ordered, in every node alike. */
export interface MergedList {
  /** The key of the list in the body. */
  list: string;
  /** The key of an entry by which they are ordered; its values are texts. */
  by: string;
  order: 'rising' | 'falling';
  /** The key that names an entry; absent: only one node has it. */
  id?: string;
  /** It has no pages: its end is cut off. */
  isWhole?: true;
}

type HandleAt = (url: string) => JsonObject | undefined | Promise<JsonObject | undefined>;
export type ListOverNodes = (
  merged: MergedList,
  request: Pick<Request, 'url' | 'originalUrl'>,
  res: Response,
  handleAt: HandleAt,
) => Promise<JsonObject | undefined>;
