/** Checks JSON Schemas of a flow for required properties that they do not describe, which are usually misspelt. */
import { quoting } from '../../base/core/diagnostic.ts';
import { isObject, type Json, type JsonObject } from '../../base/core/json.ts';
import { childPointer, type Issue, valueAt, valueIssue, walk } from '../../base/schema/document.ts';
import { didYouMean } from '../../base/schema/suggest.ts';
import type { FlowDraft } from './flow-draft.ts';
import { valuesAt } from './named-places.ts';
import { filePlacesOf } from './verb-facts.ts';

export function* lintSchemas({ root, steps }: FlowDraft): Generator<Issue> {
  for (const section of ['vars', 'input']) {
    for (const [name, schema] of Object.entries(isObject(root[section]) ? root[section] : {}))
      yield* undescribed(schema, childPointer(`/${section}`, name));
  }
  for (const { spec, source, argsPointer } of steps.values()) {
    for (const [at, content] of filePlacesOf(spec.verb)) {
      if (content !== 'schema') continue;
      for (const [path, schema] of valuesAt(source[spec.verb], at))
        yield* undescribed(schema, path.reduce<string>(childPointer, argsPointer));
    }
  }
}

function* undescribed(schema: Json, pointer: string): Generator<Issue> {
  for (const [at, part] of walk(schema)) {
    if (!isObject(part) || !isClosed(part)) continue;
    const described = Object.keys(part['properties'] as JsonObject);
    for (const [index, name] of (part['required'] as Json[]).entries()) {
      if (typeof name !== 'string' || described.includes(name)) continue;
      const message = quoting`${name} is required, and properties do not describe it`;
      const hint = didYouMean(name, described) ?? `describe it: ${name}: { type: … }`;
      yield valueIssue('undescribed-required', `${pointer}${at}/required/${index}`, message, hint);
    }
  }
}

/** True for the schema of a map that describes properties and requires some. */
const isClosed = (schema: JsonObject): boolean =>
  isObject(schema['properties']) &&
  Array.isArray(schema['required']) &&
  valueAt(schema, '/patternProperties') === undefined;
