/**
 * Which files are flows. A name that ends with `.flow.yaml` (`.yml`, `.json`) says so; any other YAML or JSON is one when
 * it has the keys `flow` and `steps` (or `start`): a `package.json` beside flows is not.
 */
import { isObject, type Json } from '../core/json.ts';

const BY_NAME = /\.flow\.(ya?ml|json)$/;
const TEST = /\.test\.(ya?ml|json)$/;
const OTHER_KIND = /\.(test|layout|schema|journal|properties)\.(ya?ml|json)$/;

/** A broadcast, or the callees of its rehearsal: `broadcast.json`, `spring.broadcast.yaml`, `callees.yaml`. */
export const isBroadcastFile = (name: string): boolean => /(^|\.)(broadcast|callees)\.(ya?ml|json)$/.test(name);

export const isTestFile = (name: string): boolean => TEST.test(name);

export const isFlowByName = (name: string): boolean => BY_NAME.test(name);

/** Tests, layouts, journals, schemas and properties are not flows by their names, nor is a configuration. */
export const mayHoldFlow = (name: string): boolean =>
  /\.(ya?ml|json)$/.test(name) &&
  !OTHER_KIND.test(name) &&
  !isBroadcastFile(name) &&
  !/^(callweave\.ya?ml$|\.)/.test(name);

/** Of a text that was read. */
export const isFlowDocument = (value: Json): boolean =>
  isObject(value) && Object.hasOwn(value, 'flow') && (Object.hasOwn(value, 'steps') || Object.hasOwn(value, 'start'));

/** It has none of the keys that make a flow: not even one that is half written. */
export const isOtherDocument = (value: Json): boolean =>
  !isObject(value) || !['flow', 'start', 'steps'].some((key) => Object.hasOwn(value, key));

/** Of a text that was not: a large file of others is not even parsed, and a flow that cannot be read is reported. */
export const looksLikeFlow = (text: string): boolean =>
  hasKey(text, 'flow') && (hasKey(text, 'steps') || hasKey(text, 'start'));

/** A key at the beginning of a line in YAML, anywhere in JSON. */
function hasKey(text: string, key: string): boolean {
  const isJson = /^\s*\{/.test(text);
  return new RegExp(isJson ? `[{,\\s]"?${key}"?\\s*:` : `^(["']?)${key}\\1[ \\t]*:`, 'm').test(text);
}
