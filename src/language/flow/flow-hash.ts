/** Version of a flow: a hash of its content, independent of layout. */
import { createHash } from 'node:crypto';
import { canonical, type Json, type JsonObject } from '../../base/core/json.ts';

/** SHA-256 of the canonical form: keys sorted, no white space. */
export function flowHash(root: JsonObject, files: Readonly<Record<string, Json>>): string {
  const said: Json = Object.keys(files).length === 0 ? root : { flow: root, files: { ...files } };
  return createHash('sha256').update(canonical(said)).digest('hex');
}
