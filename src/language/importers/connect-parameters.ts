/** Parameters of Amazon Connect actions, as the editor shows them. */
import { isObject, type Json, type JsonObject } from '../../base/core/json.ts';

/** Display name of a parameter in the editor, if it has one. */
export function displayName({ metadata }: { metadata: JsonObject }, parameter: string): string | undefined {
  const shown = isObject(metadata['parameters']) ? metadata['parameters'][parameter] : undefined;
  const name = isObject(shown) ? (shown['displayName'] ?? shown['text']) : undefined;
  return typeof name === 'string' && name !== '' ? name : undefined;
}

/** Last segment of an ARN. */
export const idAtEnd = (written: Json | undefined): string =>
  String(written ?? '')
    .split('/')
    .at(-1)!
    .slice(0, 100);
