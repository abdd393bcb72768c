/** The frame of the settings: their pages at the left, one of them beside. */
import type { ComponentChildren } from 'preact';
import { Page, Pane } from '../shell/page.tsx';
import { addressOf, place } from '../shell/router.ts';
import { SETTINGS_PAGES } from './pages.ts';

interface FrameProps {
  slug: string;
  title: string;
  about?: string;
  actions?: ComponentChildren;
  children: ComponentChildren;
}

export function SettingsFrame({ slug, title, about, actions, children }: FrameProps) {
  return (
    <Page
      title={title}
      crumb={
        <>
          <a href={addressOf('/settings')}>settings /</a> {title}
        </>
      }
      actions={actions}
    >
      <div class="settings">
        <nav class="settings-pages" aria-label="Settings">
          {SETTINGS_PAGES.map((page) => (
            <a
              key={page.slug}
              href={addressOf(`/settings/${page.slug}`)}
              aria-current={page.slug === slug || place.value.path === `/settings/${page.slug}` ? 'page' : undefined}
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
