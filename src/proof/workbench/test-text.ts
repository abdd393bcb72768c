/** Formats a test file as an author would: one line for each act, nested values in braces. */
import { Document, isCollection, isMap, isSeq, type Node } from 'yaml';
import type { JsonObject } from '../../base/core/json.ts';

/** `notes` become comments above the test. */
export function testText(form: JsonObject, notes: readonly string[] = []): string {
  // YAML 1.1 quotes values that older parsers would read as another type: `on`, `1:30`.
  const document = new Document(form, { version: '1.1' });
  const { contents } = document;
  if (isMap(contents)) {
    for (const { key, value } of contents.items) {
      const name = String((key as { value?: unknown }).value);
      if (name === 'script' || name === 'mocks' || name === 'expect') foldEach(value as Node);
      else fold(value as Node);
    }
  }
  const text = document.toString({ lineWidth: 0, directives: false });
  return notes.map((note) => `# ${note.replace(/\s+/g, ' ')}\n`).join('') + text;
}

/** Writes each member of a map or list on its own line, with its content on the same line. */
function foldEach(node: Node): void {
  if (isMap(node)) for (const { value } of node.items) fold(value as Node);
  if (!isSeq(node)) return;
  for (const item of node.items) if (isMap(item)) for (const { value } of item.items) fold(value as Node);
}

function fold(node: Node): void {
  if (isCollection(node)) node.flow = true;
}
