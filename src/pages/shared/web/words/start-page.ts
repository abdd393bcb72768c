/**
 * Starts a page in the reader's language: its texts are loaded before the modules of the page are evaluated, so that
 * nothing is shown in another language first. English needs no file.
 */
import { chosenLanguage, LANGUAGES, languageFor, localeFor } from './languages.ts';
import { type Catalogue, setLanguage } from './translate.ts';

const TEXTS: Readonly<Record<string, () => Promise<{ default: Catalogue }>>> = {
  de: () => import('./texts/de.json', { with: { type: 'json' } }),
  fr: () => import('./texts/fr.json', { with: { type: 'json' } }),
  ar: () => import('./texts/ar.json', { with: { type: 'json' } }),
};

export async function startPage(load: () => Promise<unknown>): Promise<void> {
  await setLanguageOfPage();
  await load();
}

async function setLanguageOfPage(): Promise<void> {
  const { languages } = navigator;
  const chosen = chosenLanguage();
  const language = LANGUAGES.find(({ code }) => code === chosen) ?? languageFor(languages);
  try {
    setLanguage((await TEXTS[language.code]?.())?.default ?? {}, localeFor(language, languages));
  } catch (error) {
    // The page is more useful in English than not at all.
    console.error(error);
    return;
  }
  document.documentElement.lang = language.code;
  document.documentElement.dir = language.direction;
}
