/**
 * Files that follow the scripts of the page: scripts of the screen, and styles that the first view does not need. The
 * page names them (`site.ts`). They are requested when the page is shown, so that it does not wait for them.
 */

/** Files are beside this script: the address of the page can change before they are requested. */
const addressOf = (name: string): string => new URL(name, import.meta.url).href;

const named = (kind: string): string[] =>
  document.querySelector<HTMLMetaElement>(`meta[name="${kind}"]`)?.content.split(' ') ?? [];

function linkTo(name: string, rel: 'modulepreload' | 'stylesheet'): HTMLLinkElement {
  const link = document.createElement('link');
  link.rel = rel;
  link.href = addressOf(name);
  document.head.append(link);
  return link;
}

/** Requests the scripts of the screen at once; otherwise each would wait for the one that imports it. */
export function requestScreen(): void {
  for (const name of named('screen-scripts')) linkTo(name, 'modulepreload');
}

let adding: Promise<void> | undefined;

/** Resolves when the later styles are in force. After a failure, the next call tries again. */
function addLaterStyle(): Promise<void> {
  adding ??= new Promise((resolve, reject) => {
    const [name] = named('later-style');
    if (name === undefined) return resolve();
    const style = linkTo(name, 'stylesheet');
    style.onload = () => resolve();
    style.onerror = () => {
      adding = undefined;
      style.remove();
      reject(new Error('the styles are not loaded'));
    };
  });
  return adding;
}

/** Loads code that needs the later styles, and waits for both. */
export const styled =
  <Code>(load: () => Promise<Code>) =>
  async (): Promise<Code> => {
    const [code] = await Promise.all([load(), addLaterStyle()]);
    return code;
  };
