/**
 * Restores the line ends of a file. The editor only has LF; a saved text gets CRLF where the file has it, and untouched
 * lines keep exactly their own.
 */
const LINE = /[^\n]*\n|[^\n]+$/g;

export const withPlainEnds = (text: string): string => text.replaceAll('\r\n', '\n');

/** `text` has LF line ends; `file` is the original. */
export function withEndsOf(file: string, text: string): string {
  if (!file.includes('\r\n')) return text;
  const before = file.match(LINE) ?? [];
  const lines = text.match(LINE) ?? [];
  const returns = before.filter((line) => line.endsWith('\r\n')).length;
  const most = returns * 2 >= before.length ? '\r\n' : '\n';
  const isSame = (one: string | undefined, other: string | undefined): boolean =>
    one !== undefined && other !== undefined && withPlainEnds(one) === other;
  let head = 0;
  while (isSame(before[head], lines[head])) head += 1;
  let tail = 0;
  while (
    tail < lines.length - head &&
    tail < before.length - head &&
    isSame(before.at(-1 - tail), lines.at(-1 - tail))
  ) {
    tail += 1;
  }
  const middle = lines.slice(head, lines.length - tail).map((line) => line.replace(/\n$/, most));
  return [...before.slice(0, head), ...middle, ...before.slice(before.length - tail)].join('');
}
