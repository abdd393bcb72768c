/** Layout of the settings: list of pages on the left, the current page next to it. */
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { t } from '../../../shared/web/words/translate.ts';
import { Page, Pane } from '../shell/page.tsx';
import { addressOf, location } from '../shell/router.ts';
import { SETTINGS_PAGES } from './pages.ts';

interface FrameProps {
  slug: string;
  title: string;
  about?: string;
  actions?: ComponentChildren;
  children: ComponentChildren;
}

export function SettingsFrame({ slug, title, about, actions, children }: FrameProps) {
  const { name, new: isNew } = location.value.query;
  const hasForm = name !== undefined || isNew !== undefined;
  useEffect(() => {
    // A form opened by its key gets the focus. After saving, the page gets it, so that Tab continues there.
    const page = document.querySelector<HTMLElement>('.settings-page');
    if (isNew !== undefined) page?.querySelector<HTMLElement>('form input, form select, form textarea')?.focus();
    else if (document.activeElement === document.body) page?.focus();
  }, [slug, name, isNew]);
  return (
    <Page
      title={title}
      out={hasForm ? `/settings/${slug}` : undefined}
      crumb={
        <>
          <a href={addressOf('/settings')}>{t('Settings')}</a> / {title}
        </>
      }
      actions={actions}
    >
      <div class="settings">
        <nav class="settings-pages" aria-label={t('Settings')}>
          {SETTINGS_PAGES.map((page) => (
            <a
              key={page.slug}
              href={addressOf(`/settings/${page.slug}`)}
              aria-current={page.slug === slug || location.value.path === `/settings/${page.slug}` ? 'page' : undefined}
            >
              {page.title}
            </a>
          ))}
        </nav>
        <Pane label={title} class="settings-page">
          {about !== undefined && <p class="about">{about}</p>}
          {children}
        </Pane>
      </div>
    </Page>
  );
}
