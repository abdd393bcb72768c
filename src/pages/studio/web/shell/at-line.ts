/** Message of the service about a text, with its place. */
import { t } from '../../../shared/web/words/translate.ts';

/** `Line 3: …`, or the message alone if the line is not known. */
export const atLine = (line: number | undefined, message: string): string =>
  line === undefined ? message : t('Line {line}: {message}', { line, message });
