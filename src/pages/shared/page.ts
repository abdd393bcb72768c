/** Definition of a page that the service serves. */
export interface Page {
  /** Subject of error messages: `The studio cannot be made`. */
  name: string;
  /** Title in the browser tab until the page is loaded. */
  title: string;
  /** Path of the page; all paths below it show the page, except `assets`, which contains its files. */
  base: string;
  /** Path of the entry script. */
  entry: string;
  /** Text for browsers without JavaScript. */
  withoutScript: string;
  /**
   * Framing policy: `shows` may contain pages of this service in iframes, `is shown` may be contained in them. Default:
   * neither.
   */
  frames?: 'shows' | 'is shown';
  /**
   * Lazily loaded modules by the paths that show them, as regular expressions of the path below `base`. Modules are
   * relative to the entry. The page names their scripts, and requests them itself. Styles of the first screen are part of
   * the first style; the page requests the other styles itself, too.
   */
  screens?: Readonly<Record<string, string>>;
  /** Packages that the bundler replaces: name → path. */
  replaced?: Readonly<Record<string, string>>;
}
