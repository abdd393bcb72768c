/**
 * Segments of URL paths. No value may result in a segment that leads to another path, even on a server that decodes
 * `%2F` to a slash.
 */

export const WEB_URL = /^(https?|wss?):\/\//i;
const SEGMENT_ENDS = /\/|\\|%2f|%5c/i;
const DOTS = /^(\.|%2e){1,2}$/i;

/** True if a segment of the path is `.` or `..`, which WHATWG URL resolves together with the previous segment. */
export function hasDotSegments(url: string): boolean {
  if (!WEB_URL.test(url)) return false;
  const [path = ''] = url.replace(WEB_URL, '').split(/[?#]/, 1);
  const [, ...segments] = path.split(SEGMENT_ENDS);
  return segments.some((segment) => DOTS.test(segment));
}

/** Encodes a part of a path with one or more segments. Undefined if one of them is `.` or `..`. */
export function urlPath(text: string): string | undefined {
  const segments = text.toWellFormed().split(/[/\\]/);
  return segments.some((segment) => DOTS.test(segment)) ? undefined : segments.map(encodeURIComponent).join('/');
}
