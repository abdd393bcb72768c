/** Definition of a list that is merged over all nodes. `cluster-list.ts` merges it. */
import type { Request, Response } from 'express';
import type { JsonObject } from '../../base/core/json.ts';

/** Order of the entries, which is the same on every node. */
export interface MergedList {
  /** Key of the list in the body. */
  list: string;
  /** Key by which entries are ordered; its values are texts. */
  by: string;
  order: 'rising' | 'falling';
  /** Key that identifies an entry. Absent if an entry exists on one node only. */
  id?: string;
  /** True if the list has no pages and is truncated. */
  isWhole?: true;
}

type HandleAt = (url: string) => JsonObject | undefined | Promise<JsonObject | undefined>;
export type ListOverNodes = (
  merged: MergedList,
  request: Pick<Request, 'url' | 'originalUrl'>,
  res: Response,
  handleAt: HandleAt,
) => Promise<JsonObject | undefined>;
