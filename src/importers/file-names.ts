/** Names of files, from their paths and from URLs of the source. */

/** The file's name at the end of a URL. */
export function fileNameOf(url: string): string {
  const path = url.replace(/[?#].*$/s, '');
  const last = path.split(/[/\\]/).at(-1) ?? '';
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}

/** A document's name as its URL would have it: without folder and endings. */
export const documentNameOf = (path: string): string => fileNameOf(path).replace(/\..*$/s, '');
