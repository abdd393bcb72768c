/** Packages that the bundler replaces in the browser build. Used by `build-assets.ts` and by pages of tests. */

const EDITOR_LANGUAGE = `${import.meta.dirname}/web/text/editor-language.ts`;

/** These packages contain parsers for all languages. The replacement only has the parts that the YAML editor needs. */
export const BUNDLE_ALIASES = { '@codemirror/language': EDITOR_LANGUAGE, '@lezer/common': EDITOR_LANGUAGE };
