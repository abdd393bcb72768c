/** File names in paths and URLs of the source. */

/** File name at the end of a URL. */
export function fileNameOf(url: string): string {
  const path = url.replace(/[?#].*$/s, '');
  const last = path.split(/[/\\]/).at(-1) ?? '';
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}

/** Name of a document in URLs: without folder and extensions. */
export const documentNameOf = (path: string): string => fileNameOf(path).replace(/\..*$/s, '');
