/** Comments in JSON, which documentation and editors allow. Used by `import-files.ts`. */

/** A string, or a comment: `//` to the end of its line, or a block. Each alternative ends, so that no text is read twice. */
const STRING_OR_REMARK = /"(?:[^"\\\n]|\\.)*"?|(?<!:)\/\/[^\n]*|\/\*(?:.*?\*\/|.*$)/gs;

/** Replaces the comments of a JSON text by spaces, so that all locations stay. Other texts are returned as they are. */
export function withoutRemarks(text: string): string {
  if (!/^\s*(?:\/[/*]|[[{])/.test(text) || !/\/[/*]/.test(text)) return text;
  return text.replaceAll(STRING_OR_REMARK, (part) => (part.startsWith('"') ? part : part.replaceAll(/[^\n]/g, ' ')));
}
