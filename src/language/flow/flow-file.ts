/**
 * Decides which files are flows. A name that ends with `.flow.yaml` (`.yml`, `.json`) is a flow; any other YAML or JSON
 * is a flow if it has the keys `flow` and `steps` (or `start`), so a `package.json` next to flows is not.
 */
import { isObject, type Json } from '../../base/core/json.ts';

const BY_NAME = /\.flow\.(ya?ml|json)$/;
const TEST = /\.test\.(ya?ml|json)$/;
const OTHER_KIND = /\.(test|layout|schema|journal|properties)\.(ya?ml|json)$/;

/** True for a broadcast, or the callees of its rehearsal: `broadcast.json`, `spring.broadcast.yaml`, `callees.yaml`. */
export const isBroadcastFile = (name: string): boolean => /(^|\.)(broadcast|callees)\.(ya?ml|json)$/.test(name);

export const isTestFile = (name: string): boolean => TEST.test(name);

export const isFlowByName = (name: string): boolean => BY_NAME.test(name);

/** False for names of tests, layouts, journals, schemas, properties and configurations. */
export const mayHoldFlow = (name: string): boolean =>
  /\.(ya?ml|json)$/.test(name) &&
  !OTHER_KIND.test(name) &&
  !isBroadcastFile(name) &&
  !/^(callweave\.ya?ml$|\.)/.test(name);

/** True if parsed content is a flow. */
export const isFlowDocument = (value: Json): boolean =>
  isObject(value) && Object.hasOwn(value, 'flow') && (Object.hasOwn(value, 'steps') || Object.hasOwn(value, 'start'));

/** True if the document has none of the keys of a flow, so it is not even an unfinished one. */
export const isOtherDocument = (value: Json): boolean =>
  !isObject(value) || !['flow', 'start', 'steps'].some((key) => Object.hasOwn(value, key));

/** Tests unparsed text, so that large files of other kinds are not parsed and an unreadable flow is still reported. */
export const looksLikeFlow = (text: string): boolean =>
  hasKey(text, 'flow') && (hasKey(text, 'steps') || hasKey(text, 'start'));

/** True for a key at the beginning of a line in YAML, or anywhere in JSON. */
function hasKey(text: string, key: string): boolean {
  const isJson = /^\s*\{/.test(text);
  return new RegExp(isJson ? `[{,\\s]"?${key}"?\\s*:` : `^(["']?)${key}\\1[ \\t]*:`, 'm').test(text);
}
