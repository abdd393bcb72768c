/** Room 6c: the pages for people, beside the studio: rooms and the phone. Their files are made when somebody first opens one. */
import { createAssets } from '../pages/assets.ts';
import type { Page } from '../pages/page.ts';
import { createSite } from '../pages/site.ts';
import { PHONE_PAGE } from '../phone-page/page.ts';
import { ROOM_PAGE } from '../room-page/page.ts';
import type { Base } from './base.ts';

export function createPages({ log, state }: Base) {
  const site = (page: Page) => {
    const assets = createAssets(page);
    state.closers.push(() => assets.stop());
    return createSite(page, assets, (why) => log.warn('page.not_made', { page: page.name, why }));
  };
  return { roomPage: site(ROOM_PAGE), phonePage: site(PHONE_PAGE) };
}
