/** Choice of the language of the pages. A change loads the page again. */
import { chosenLanguage, keepLanguage, LANGUAGES } from './languages.ts';
import { t } from './translate.ts';

const AS_BROWSER = '';

interface LanguageChoiceProps {
  /** CSS class of the label. */
  class?: string;
}

export const LanguageChoice = ({ class: className = '' }: LanguageChoiceProps) => (
  <label class={className}>
    {t('Language')}
    <select
      value={chosenLanguage() ?? AS_BROWSER}
      onChange={({ currentTarget: { value } }) => {
        keepLanguage(value === AS_BROWSER ? undefined : value);
        location.reload();
      }}
    >
      <option value={AS_BROWSER}>{t('As the browser')}</option>
      {LANGUAGES.map(({ code, name }) => (
        <option key={code} value={code} lang={code}>
          {name}
        </option>
      ))}
    </select>
  </label>
);
