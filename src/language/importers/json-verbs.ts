/** Reader for JSON lists of verbs (NCCO, jambonz) with source locations, and helpers for their fields. */
import type { Diagnostic, SourceLocation } from '../../base/core/diagnostic.ts';
import { isObject, type Json, type JsonObject } from '../../base/core/json.ts';
import { childPointer, errorAt, type SourceDocument } from '../../base/schema/document.ts';
import { loadDocument } from '../../base/schema/load.ts';
import type { Account, FidelityReport } from './fidelity.ts';
import { documentNameOf } from './file-names.ts';
import { escapedTexts, FlowWriter } from './flow-writer.ts';
import type { ImportContext } from './import-context.ts';
import type { Format, Imported, SourceFile } from './imported.ts';
import { passOver, viewOf } from './source-views.ts';
import { VerbList } from './verb-list.ts';
import type { SourceVerb } from './verb-unit.ts';

export interface JsonVerb extends SourceVerb {
  /** View of the arguments. */
  fields: JsonObject;
  /** Location of a field's value. */
  placeOf(key: string): SourceLocation;
}

export interface JsonListFormat {
  format: Format;
  title: string;
  /** Key that holds the name of a verb. */
  key: 'action' | 'verb';
  /** Key of the list, if it is nested in an object. */
  listKey?: string;
  /** Name and arguments of a verb in another notation, such as `{ "say": { … } }`. */
  shortForm?(value: JsonObject): [name: string, fields: JsonObject] | undefined;
  make(flow: FlowWriter, report: FidelityReport, options: ImportContext): JsonVerbList;
}

export abstract class JsonVerbList extends VerbList<JsonVerb> {
  protected sourceOf({ fields }: JsonVerb): Json {
    return escapedTexts(fields);
  }
}

export function importJsonList(sources: readonly SourceFile[], options: ImportContext, kind: JsonListFormat): Imported {
  const { report } = options;
  const result: Imported = { format: kind.format, flows: [], nodes: report.nodes, diagnostics: [] };
  const documents: [file: string, verbs: JsonVerb[]][] = [];
  for (const { file, text } of sources) {
    const { document, diagnostics } = loadDocument(text, file);
    if (document === undefined) result.diagnostics.push(...diagnostics);
    else documents.push([file, verbsOf(document, kind, { ...result, report })]);
  }
  if (result.diagnostics.length > 0) return result;
  const flow = new FlowWriter(options.name ?? documentNameOf(sources[0]!.file));
  const list = kind.make(flow, report, options);
  list.all(kind.title, documents);
  return { ...result, flows: [flow, ...list.called].map((each) => each.made()) };
}

/** Accepts a list, a single verb, or an object with a list. */
function verbsOf(
  document: SourceDocument,
  kind: JsonListFormat,
  { diagnostics, report }: { diagnostics: Diagnostic[]; report: FidelityReport },
): JsonVerb[] {
  const { format, title, key, listKey } = kind;
  const refuse = (pointer: string, message: string): JsonVerb[] => {
    diagnostics.push(errorAt(document.locationOf(pointer), `not-${format}`, message));
    return [];
  };
  const whole = document.value;
  if (isVerb(whole, kind)) return [verbOf(document, '', whole, kind)];
  const isWithin = listKey !== undefined && isObject(whole) && Object.hasOwn(whole, listKey);
  const list = isWithin ? whole[listKey] : whole;
  const above = isWithin ? childPointer('', listKey) : '';
  if (isWithin) {
    const view = viewOf(whole);
    passOver(view, [listKey]);
    report.document(`a document of ${title}`, accountAt(document, '', view));
  }
  if (!Array.isArray(list)) return refuse(above, `it is not a list; a document of ${title} is a list of ${key}s`);
  return list.flatMap((value: Json, index) => {
    const pointer = childPointer(above, index);
    if (isVerb(value, kind)) return [verbOf(document, pointer, value, kind)];
    return refuse(pointer, `this is not one of ${title}: it has no \`${key}\``);
  });
}

const isVerb = (value: Json, { key, shortForm }: JsonListFormat): value is JsonObject =>
  isObject(value) && (typeof value[key] === 'string' || shortForm?.(value) !== undefined);

function verbOf(document: SourceDocument, pointer: string, written: JsonObject, kind: JsonListFormat): JsonVerb {
  const { key, shortForm } = kind;
  const [name, own] = typeof written[key] === 'string' ? [written[key], written] : shortForm!(written)!;
  const fields = viewOf(own);
  passOver(fields, [key]);
  const inner = own === written ? pointer : childPointer(pointer, name);
  return {
    ...placesIn(document, inner),
    at: document.locationOf(pointer),
    name,
    fields,
    account: accountAt(document, inner, fields),
  };
}

export const placesIn = (document: SourceDocument, pointer: string): Pick<JsonVerb, 'at' | 'placeOf'> => ({
  at: document.locationOf(pointer),
  placeOf: (field) => document.locationOf(childPointer(pointer, field)),
});

/** Account of the keys of an object in a document. */
export const accountAt = (document: SourceDocument, pointer: string, view: object): Account => ({
  view,
  placeOf: (path) => document.keyLocationOf(path.reduce<string>(childPointer, pointer)),
});

/** Object in a field of a verb, as a verb with a node of its own. */
export function innerVerb({ fields, placeOf, account }: JsonVerb, key: string): JsonVerb {
  const view = objectAt(fields, key);
  const own: Account | undefined = account && { view, placeOf: (path) => account.placeOf([key, ...path]) };
  return { name: key, at: placeOf(key), fields: view, placeOf, ...(own && { account: own }) };
}

/** Field as a text; numbers are converted. Undefined if it has another type or is empty. */
export function wordsAt(fields: JsonObject, key: string): string | undefined {
  const value = fields[key];
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

/** Field as a list of texts; a single text counts as a list of one. */
export function listAt(fields: JsonObject, key: string): string[] {
  const value = fields[key];
  const all = Array.isArray(value) ? value : [value];
  return all.filter((each) => typeof each === 'string' && each.trim() !== '').map(String);
}

export const objectAt = (fields: JsonObject, key: string): JsonObject => {
  const value = fields[key];
  return isObject(value) ? value : {};
};

/** Field as a number; a number in quotes counts. */
export function numberAt(fields: JsonObject, key: string): number | undefined {
  const value = Number(wordsAt(fields, key));
  return Number.isFinite(value) ? value : undefined;
}
