/** What the bundler puts in the place of packages in the browser. Neighbours: `build-assets.ts`, and pages of tests. */

const EDITOR_LANGUAGE = `${import.meta.dirname}/web/text/editor-language.ts`;

/** They bring parsers of all languages; the text editor has what it needs of them for YAML. */
export const REPLACED = { '@codemirror/language': EDITOR_LANGUAGE, '@lezer/common': EDITOR_LANGUAGE };
