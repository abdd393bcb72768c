/** A page that the service serves: where it begins, and where it is found. */
export interface Page {
  /** In sentences: `The studio cannot be made`. */
  name: string;
  /** Before it is loaded, in the tab of the browser. */
  title: string;
  /** The path below which all addresses are the page; its files are in `assets` below it. */
  base: string;
  /** Path of the script with which it begins. */
  entry: string;
  /** Where there is no JavaScript. */
  withoutScript: string;
  /** It shows other pages of this service inside, or is shown inside of them; else neither. */
  frames?: 'shows' | 'is shown';
  /** What the bundler puts in the place of packages: name → path. */
  replaced?: Readonly<Record<string, string>>;
}
