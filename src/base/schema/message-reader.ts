/** Validates WebSocket messages by the `$defs` of a schema, one for each `type`. Clients are not trusted. */
import { isObject, type JsonObject } from '../core/json.ts';
import { compileCheck } from './compile-check.ts';
import { readSchema } from './schema-files.ts';

export type ReadMessage<Message> = (text: string) => { message: Message } | { problem: string };

/** Texts longer than `maxLength` are not parsed. */
export function createMessageReader<Message>(schema: string, maxLength: number): ReadMessage<Message> {
  const definitions = readSchema(schema)['$defs'] as Record<string, JsonObject>;
  return (text) => {
    if (text.length > maxLength) return { problem: `is longer than ${maxLength} characters` };
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      return { problem: 'is not JSON' };
    }
    const type = isObject(value as JsonObject) ? (value as JsonObject)['type'] : undefined;
    if (typeof type !== 'string' || !Object.hasOwn(definitions, type)) return { problem: 'has no known type' };
    const problem = compileCheck(definitions[type]!)(value);
    return problem === undefined ? { message: value as Message } : { problem };
  };
}
