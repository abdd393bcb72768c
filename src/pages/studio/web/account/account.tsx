/** Account menu at the foot of the rail: the signed-in role, the project, the theme, the keys and signing out. */
import './account.css';
import { useRef } from 'preact/hooks';
import { LanguageChoice } from '../../../shared/web/words/language-choice.tsx';
import { t, tNodes } from '../../../shared/web/words/translate.ts';
import { project } from '../api.ts';
import { Icon } from '../icons.tsx';
import { Keys } from '../shell/keys.tsx';
import { BY_LINK } from '../shell/link-sign-in.ts';
import { type Session, signOut } from '../shell/session.ts';
import { chooseTheme, THEMES, theme } from './theme.ts';

const MENU = 'account-menu';
const THEME_NAMES = { system: t('System'), light: t('Light'), dark: t('Dark') } as const;

export function Account({ signedIn, openKeys }: { signedIn: Session; openKeys(): void }) {
  const menu = useRef<HTMLDivElement>(null);
  const { projects } = signedIn;
  const current = projects.find(({ app_id }) => app_id === project.value)?.name;
  const { role, how } = roleOf(signedIn);
  const shown = projects.length > 1 && current !== undefined ? current : t('Account');
  const close = (): void => menu.current?.hidePopover();
  return (
    <>
      <button type="button" popovertarget={MENU} title={t('Account')} aria-label={`${shown}: ${role}`}>
        <Icon name="account" size={18} />
        <span>{shown}</span>
      </button>
      <div ref={menu} id={MENU} popover="auto" class="account-menu" role="dialog" aria-label={t('Account')}>
        <p class="account-role">
          <strong>{role}</strong>
          <small>{how}</small>
        </p>
        {projects.length > 1 && (
          <label>
            {t('Project')}
            <select
              value={project.value}
              onChange={(event) => {
                project.value = event.currentTarget.value;
              }}
            >
              {projects.map(({ app_id, name }) => (
                <option key={app_id} value={app_id}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        )}
        {projects.length === 1 && role !== current && (
          <p>{tNodes('Project {current}', { current: <b>{current}</b> })}</p>
        )}
        <fieldset>
          <legend>{t('Theme')}</legend>
          <div class="segments">
            {THEMES.map((each) => (
              <label key={each}>
                <input type="radio" name="theme" checked={theme.value === each} onChange={() => chooseTheme(each)} />
                <span>{THEME_NAMES[each]}</span>
              </label>
            ))}
          </div>
        </fieldset>
        <LanguageChoice />
        <button
          type="button"
          class="button quiet keys-button"
          onClick={() => {
            close();
            openKeys();
          }}
        >
          {t('Keyboard shortcuts')} <Keys of="?" />
        </button>
        <button type="button" class="button" onClick={() => void signOut()}>
          {t('Sign out')}
        </button>
      </div>
    </>
  );
}

function roleOf({ role, name, access, projects }: Session): { role: string; how: string } {
  if (role === 'project') return { role: projects[0]?.name ?? t('Project'), how: t('Project: sees its own calls') };
  const may = access === 'read' ? t('may read, not change') : t('may change everything');
  const by = name === undefined || name === BY_LINK ? t('signed in by link') : t('signed in as {name}', { name });
  return { role: t('Administrator'), how: t('{by}, {may}', { by, may }) };
}
