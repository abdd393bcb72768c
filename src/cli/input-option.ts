/** `--input name=value`: the value is JSON where it reads as JSON, else a text. */
import type { JsonObject } from '../core/json.ts';
import { UsageError } from './terminal.ts';

export function parseInput(text: string, before: JsonObject): JsonObject {
  const [, name, value] = /^([A-Za-z_]\w*)=(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw new UsageError(`${text} is no input`, 'write --input name=value');
  try {
    return { ...before, [name]: JSON.parse(value) };
  } catch {
    return { ...before, [name]: value };
  }
}
