/**
 * Generated files that depend on the generated types and lists: `make.ts` loads this module after it has written those.
 */
import { editorSchema, propertiesEditorSchema } from '../src/cli/editor-schema.ts';
import { PAGES } from '../src/cli/reference.ts';
import { conformancePage } from '../test/conformance/page.ts';
import { nativeCodeInventory } from './native-code.ts';
import { ENGLISH_TEXTS, englishTexts } from './page-texts.ts';
import { thirdPartyNotices } from './third-party-notices.ts';

/** Functions that return the text of each file, by its path in the repository. */
export type Generators = Readonly<Record<string, () => string>>;

const json = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`;

export const GENERATED_PAGES: Generators = {
  ...Object.fromEntries(Object.entries(PAGES).map(([topic, make]) => [`docs/${topic}.md`, make])),
  'docs/conformance.md': conformancePage,
  'schemas/editor/flow.schema.json': () => json(editorSchema()),
  'schemas/editor/properties.schema.json': () => json(propertiesEditorSchema()),
  THIRD_PARTY_NOTICES: thirdPartyNotices,
  [ENGLISH_TEXTS]: () => json(englishTexts()),
  'packaging/native-code.json': nativeCodeInventory,
};
