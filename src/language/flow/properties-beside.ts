/**
 * Properties in a file of their own: `NAME.properties.yaml` (`.yml`, `.json`) next to `NAME.flow.yaml`, with the same
 * map as `properties` of the flow. Only this module defines where the file is looked for, so every compilation of a
 * file uses it.
 */
import { basename, join } from 'node:path';
import { type Diagnostic, quoting } from '../../base/core/diagnostic.ts';
import { isObject, type JsonObject } from '../../base/core/json.ts';
import {
  childPointer,
  type Issue,
  keyIssue,
  type SourceDocument,
  toDiagnostic,
  valueIssue,
} from '../../base/schema/document.ts';
import { loadDocument } from '../../base/schema/load.ts';
import { flowSchema, schemaInForm } from '../../base/schema/schema-forms.ts';
import { checkShape } from '../../base/schema/validate.ts';
import type { CompiledFlow } from './compiled-flow.ts';
import type { Compilation, CompileOptions, FlowDraft } from './flow-draft.ts';
import { propertyIssues } from './lint-properties.ts';
import { readInside } from './path-containment.ts';

const ENDINGS = ['yaml', 'yml', 'json'];

interface FoundText {
  file: string;
  text: string;
}

/** Reads the file from disk. `directory` is that of the flow, absolute. */
export function propertiesBeside(
  file: string,
  directory: string,
  readFile: CompileOptions['readFile'] = (path) => readInside(path, directory),
): FoundText | undefined {
  const name = basename(file).replace(/(\.flow)?\.(ya?ml|json)$/, '');
  for (const ending of ENDINGS) {
    const beside = `${name}.properties.${ending}`;
    const text = readFile(join(directory, beside));
    if (text !== undefined) return { file: join(file, '..', beside), text };
  }
  return undefined;
}

/** Adds the properties of the file to the flow, and reports their problems with locations in that file. */
export function withPropertiesBeside(
  flow: CompiledFlow,
  { file, text }: FoundText,
  { root, steps }: Pick<FlowDraft, 'root' | 'steps'>,
): Compilation {
  const { document, diagnostics } = loadDocument(text, file);
  if (document === undefined) return { flow, diagnostics };
  const issues = [...issuesIn(document, flow, root, steps)];
  const found: Diagnostic[] = issues.map((issue) => toDiagnostic(document, issue));
  if (issues.length > 0) return { flow, diagnostics: found };
  const added = document.value as unknown as CompiledFlow['properties'];
  return { flow: { ...flow, properties: { ...flow.properties, ...added } }, diagnostics: [] };
}

function* issuesIn(
  { value }: SourceDocument,
  flow: CompiledFlow,
  root: JsonObject,
  steps: FlowDraft['steps'],
): Generator<Issue> {
  if (!isObject(value)) {
    yield valueIssue('wrong-type', '', 'properties are a map', 'each has a sentence as its key: nobody pays twice: …');
    return;
  }
  const shape = checkShape('properties', propertiesSchema, value, '');
  yield* shape;
  const own = isObject(root['properties']) ? root['properties'] : {};
  for (const name of Object.keys(value)) {
    if (!Object.hasOwn(own, name)) continue;
    const message = quoting`the property ${name} stands in ${basename(flow.file)} too`;
    yield keyIssue('duplicate-key', childPointer('', name), message, 'remove one of them');
  }
  if (shape.length === 0) yield* propertyIssues(value, '', steps);
}

const propertiesSchema = (): JsonObject => {
  const { properties, $defs } = flowSchema as { properties: JsonObject; $defs: JsonObject };
  return schemaInForm({ $defs, ...(properties['properties'] as JsonObject) }, 'strict', 'flow') as JsonObject;
};

/** Moves diagnostics of other files to the beginning of `file`, for editors that show one text. */
export const shownIn = (file: string, diagnostics: readonly Diagnostic[]): Diagnostic[] =>
  diagnostics.map(({ fix, ...each }) => {
    if (basename(each.file) === basename(file)) return { ...each, ...(fix && { fix }) };
    const message = `${basename(each.file)}:${each.line}: ${each.message}`;
    return { ...each, file, line: 1, column: 1, message };
  });
