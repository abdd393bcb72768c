/**
 * Reads a broadcast file: the body of `POST /voice/v1/broadcast` in JSON or YAML. The numbers may be in a separate
 * table (`contacts.ts`). A flow may be given by its file name; its text is then sent with the request.
 */
import { statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { isObject, type Json, type JsonObject } from '../base/core/json.ts';
import { loadDocument } from '../base/schema/load.ts';
import { type ContactOptions, type ContactTable, readContacts } from './contacts.ts';
import { readText } from './find-files.ts';
import { UsageError } from './terminal.ts';

export interface BroadcastFile {
  /** Body with the numbers of the table, and the text of flows given by file name. */
  body: JsonObject;
  /** Table of the numbers, in the order of the body. */
  table?: ContactTable;
}

const NUMBERS = ['broadcast_numbers_array', 'broadcast_numbers_json', 'broadcastnumbersjson', 'broadcast_numbers'];
/** Larger files are not handwritten flows. The service has a limit of its own. */
const MAX_FLOW_BYTES = 1_000_000;

/**
 * Throws a `UsageError` for unreadable files; the service validates the body. `numbers` replaces the numbers of the
 * file.
 */
export function readBroadcastFile(
  file: string,
  { numbers, ...options }: { numbers?: string | readonly string[] } & ContactOptions = {},
): BroadcastFile {
  const written = readObject(file);
  if (typeof numbers === 'object') {
    const others = Object.entries(written).filter(([name]) => !NUMBERS.includes(name));
    return { body: { ...withFlows(Object.fromEntries(others), file), broadcast_numbers_array: [...numbers] } };
  }
  const given = NUMBERS.find((name) => name in written);
  if (numbers === undefined) {
    if (given !== undefined) return { body: withFlows(written, file) };
    throw new UsageError(
      `${file} contains no numbers to call`,
      'add --numbers contacts.csv, or `broadcast_numbers_array`',
    );
  }
  if (given !== undefined) {
    throw new UsageError(`numbers are set twice: by ${given} in ${file}, and by ${numbers}`, 'remove one of them');
  }
  const contacts = readContacts(numbers, options);
  const list = contacts.map(({ phone, input }): Json => (input === undefined ? phone : { ...input, phone }));
  return { body: { ...withFlows(written, file), broadcast_numbers_array: list }, table: { file: numbers, contacts } };
}

function readObject(file: string): JsonObject {
  const value = documentIn(readText(file), file);
  if (!isObject(value)) throw new UsageError(`${file} is not a broadcast`, 'write a map, see docs/broadcasts.md');
  return value;
}

/** JSON files may contain all numbers, which exceeds the limits of the YAML reader. */
function documentIn(text: string, file: string): Json | undefined {
  if (/\.json$/i.test(file)) {
    try {
      return JSON.parse(text.replace(/^\ufeff/, '')) as Json;
    } catch (error) {
      throw new UsageError(`${file} is not valid JSON: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  const { document, diagnostics } = loadDocument(text, file);
  const wrong = diagnostics[0];
  if (wrong !== undefined) throw new UsageError(`${file}:${wrong.line}:${wrong.column}: ${wrong.message}`, wrong.hint);
  return document?.value;
}

/** Replaces file names of flows with the text of the files. */
function withFlows(body: JsonObject, file: string): JsonObject {
  const { action_on_connect: action, amd } = body;
  const machine = isObject(amd) ? amd['on_machine'] : undefined;
  return {
    ...flowIn(body, file),
    ...(isObject(action) ? { action_on_connect: flowIn(action, file) } : {}),
    ...(isObject(amd) && isObject(machine) ? { amd: { ...amd, on_machine: flowIn(machine, file) } } : {}),
  };
}

function flowIn(holder: JsonObject, file: string): JsonObject {
  const { flow } = holder;
  if (typeof flow !== 'string' || !/\.flow\.(ya?ml|json)$/.test(flow)) return holder;
  const path = resolve(dirname(file), flow);
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > MAX_FLOW_BYTES)
    throw new UsageError(`${path} is too large`);
  return { ...holder, flow: readObject(path) };
}
