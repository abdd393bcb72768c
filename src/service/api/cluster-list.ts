/**
 * Merges the lists of all nodes: every node is asked for a page, and the pages are merged in list order. Routes define
 * the order (`merged`); `forwarding.ts` sends the requests.
 *
 * Invariants
 * - `next` contains a position for each node: no entry is skipped, and none is repeated unless it moved meanwhile;
 * - an entry of several nodes, such as a live call, appears once;
 * - entries of a lost or unreachable node are missing, and the response names the node (`MISSING_HEADER`);
 * - no node is asked for more than a page, and a response that is too large is discarded.
 */
import { createHash } from 'node:crypto';
import type { Response } from 'express';
import { isObject, type JsonObject, parseJson } from '../../base/core/json.ts';
import type { NodeInfo } from '../cluster/cluster.ts';
import { FORWARD_HEADER, NO_BODY } from '../cluster/forward-signature.ts';
import { ApiError } from './api-error.ts';
import { type Forwarding, identityOf } from './forwarding.ts';
import type { ListOverNodes, MergedList } from './merged-list.ts';
import { LIMIT } from './query-parameters.ts';
import { stateOf } from './request-context.ts';

/** Page of one node. Without `next` it is the last. */
interface Page {
  entries: JsonObject[];
  next?: string;
}

/** One node in a merged list. */
interface Part {
  name: string;
  /** Start of its page. Empty for the first page. */
  cursor: string;
  /** Undefined if the node does not respond. */
  page(query: { limit: number; cursor: string }): Promise<Page | undefined>;
}

export const MISSING_HEADER = 'x-callweave-missing-nodes';
const TIMEOUT_MS = 5000;
const MAX_ANSWER_BYTES = 16 * 2 ** 20;
const MAX_CURSOR_LENGTH = 16_384;

export const createClusterList =
  (forwarding: Forwarding): ListOverNodes =>
  async (merged, { url, originalUrl }, res, handleAt) => {
    const given = new URL(url, BASE).searchParams.get('cursor') ?? '';
    const cursors = cursorsIn(given);
    // The cursor of a single node is only valid for that node's list.
    if (stateOf(res).forwarded || (given !== '' && !cursors)) return handleAt(url);
    const own = keyOf(forwarding.archive);
    const body = await handleAt(withQuery(url, { cursor: cursors?.get(own) ?? '' }));
    if (!body) return undefined;
    const limit = Number(new URL(url, BASE).searchParams.get('limit') || LIMIT.schema.default);
    const parts = new Map<string, Part>();
    const add = (key: string, name: string, page: Part['page']): void => {
      const cursor = cursors ? cursors.get(key) : '';
      if (cursor !== undefined) parts.set(key, { name, cursor, page });
    };
    add(own, 'this node', async (query) => pageOf(merged, (await handleAt(withQuery(url, query))) ?? {}));
    for (const node of forwarding.others()) {
      add(keyOf(node.archive), node.name, (query) =>
        askNode(node, withQuery(originalUrl, query), merged, res, forwarding),
      );
    }
    const found = await mergePages(merged, parts, limit, new Map([[own, pageOf(merged, body)]]));
    // Keeps the positions of absent nodes, which may be back for the next page.
    for (const [key, cursor] of cursors ?? []) if (!parts.has(key)) found.next.set(key, cursor);
    const missing = [...new Set([...forwarding.lost(), ...found.missing.values()])];
    if (missing.length > 0) res.set(MISSING_HEADER, missing.join(', '));
    const { next: _, ...rest } = body;
    // A node that does not respond does not add pages.
    const hasMore = [...parts.keys()].some((key) => found.next.has(key) && !found.missing.has(key));
    return {
      ...rest,
      [merged.list]: found.entries,
      ...(hasMore && !merged.isWhole ? { next: cursorOf(found.next) } : {}),
    };
  };

/** `known`: pages that are already loaded. */
export async function mergePages(
  { by, order, id, isWhole }: MergedList,
  parts: ReadonlyMap<string, Part>,
  limit: number,
  known: ReadonlyMap<string, Page> = new Map(),
): Promise<{ entries: JsonObject[]; next: Map<string, string>; missing: Map<string, string> }> {
  const next = new Map<string, string>();
  const missing = new Map<string, string>();
  const pages = await Promise.all(
    [...parts].map(async ([key, { cursor, page, name }]) => {
      const found = known.get(key) ?? (await page({ limit, cursor }));
      if (found) return { key, ...found, taken: 0 };
      missing.set(key, name);
      next.set(key, cursor);
      return undefined;
    }),
  );
  const lists = pages.filter((each) => each !== undefined);
  const entries: JsonObject[] = [];
  const places = new Map<string, number>();
  const isFirst = (one: JsonObject, other: JsonObject): boolean =>
    order === 'rising' ? String(one[by]) < String(other[by]) : String(one[by]) > String(other[by]);
  for (;;) {
    const open = lists.filter((list) => list.taken < list.entries.length);
    const least = open.reduce<(typeof lists)[number] | undefined>((best, list) => {
      return !best || isFirst(list.entries[list.taken]!, best.entries[best.taken]!) ? list : best;
    }, undefined);
    if (!least) break;
    const entry = least.entries[least.taken]!;
    const name = id === undefined ? undefined : String(entry[id]);
    const at = name === undefined ? undefined : places.get(name);
    if (at === undefined) {
      // The next page of a node may contain entries that come before the rest of the other pages.
      const isUnsure = lists.some((list) => list.taken === list.entries.length && list.next !== undefined);
      if (entries.length >= limit || isUnsure) break;
      if (name !== undefined) places.set(name, entries.length);
      entries.push(entry);
    } else if (Object.keys(entry).length > Object.keys(entries[at]!).length) {
      // The node of a call has more fields of it.
      entries[at] = entry;
    }
    least.taken += 1;
  }
  if (isWhole) return { entries, next, missing };
  await Promise.all(
    lists.map(async (list) => {
      const after = await cursorAfter(list, parts.get(list.key)!);
      if (after !== undefined) next.set(list.key, after);
    }),
  );
  return { entries, next, missing };
}

/**
 * Position of the rest of a node's list. Undefined at its end. Nodes only return cursors for page ends, so a shorter
 * page is requested.
 */
async function cursorAfter(list: Page & { taken: number }, { cursor, page }: Part): Promise<string | undefined> {
  if (list.taken === list.entries.length) return list.next;
  if (list.taken === 0) return cursor;
  const again = await page({ limit: list.taken, cursor });
  return again?.next ?? cursor;
}

function pageOf({ list }: MergedList, body: JsonObject): Page {
  const { [list]: found, next } = body;
  const entries = Array.isArray(found) ? found.filter(isObject) : [];
  return typeof next === 'string' ? { entries, next } : { entries };
}

/** Asks a node for its page. An error below 500, except 401, counts as an empty list. */
async function askNode(
  node: NodeInfo,
  path: string,
  merged: MergedList,
  res: Response,
  { signer, relay, log }: Forwarding,
): Promise<Page | undefined> {
  const signed = signer.sign(node.id, { method: 'GET', path, digest: NO_BODY, identity: identityOf(res) });
  const answer = await relay.send({
    ...{ method: 'GET', url: new URL(node.address + path), timeoutMs: TIMEOUT_MS },
    ...{ signal: AbortSignal.timeout(TIMEOUT_MS), headers: { [FORWARD_HEADER]: signed } },
  });
  if ('failure' in answer) {
    log.warn('cluster.not_reached', { node: node.id, name: node.name, failure: answer.failure });
    return undefined;
  }
  const pieces: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const piece of answer.body) {
      bytes += (piece as Buffer).length;
      if (bytes > MAX_ANSWER_BYTES) return undefined;
      pieces.push(piece as Buffer);
    }
  } catch {
    return undefined;
  }
  if (answer.status >= 500 || answer.status === 401) return undefined;
  const body = answer.status === 200 ? parseJson(Buffer.concat(pieces).toString()) : {};
  return isObject(body) ? pageOf(merged, body) : undefined;
}

const BASE = 'http://localhost';

function withQuery(url: string, { cursor, limit }: { cursor: string; limit?: number }): string {
  const [path, search = ''] = url.split('?', 2);
  const query = new URLSearchParams(search);
  if (limit !== undefined) query.set('limit', String(limit));
  if (cursor === '') query.delete('cursor');
  else query.set('cursor', cursor);
  const text = query.toString();
  return text === '' ? path! : `${path}?${text}`;
}

/** Opaque key for a node's data, without its location. */
const keyOf = (archive: string): string => createHash('sha256').update(archive).digest('hex').slice(0, 8);

const cursorOf = (cursors: ReadonlyMap<string, string>): string =>
  Buffer.from(JSON.stringify(Object.fromEntries(cursors))).toString('base64url');

/** Cursors by node key. Undefined if the text is not a merged cursor. */
function cursorsIn(text: string): Map<string, string> | undefined {
  if (text === '') return undefined;
  if (text.length > MAX_CURSOR_LENGTH) throw new ApiError('bad_request', 'cursor is too long');
  const read = parseJson(Buffer.from(text, 'base64url').toString());
  const entries = isObject(read) ? Object.entries(read) : [];
  const isOurs = entries.length > 0 && entries.every(([key, cursor]) => /^[0-9a-f]{8}$/.test(key) && isText(cursor));
  return isOurs ? new Map(entries as [string, string][]) : undefined;
}

const isText = (value: unknown): boolean => typeof value === 'string' && value.length <= 1000;
