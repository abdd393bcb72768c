/** Stage 6c of the composition: the room page and the phone page. Their files are built on the first request. */
import { PHONE_PAGE } from '../pages/phone-page/page.ts';
import { ROOM_PAGE } from '../pages/room-page/page.ts';
import { createAssets } from '../pages/shared/assets.ts';
import type { Page } from '../pages/shared/page.ts';
import { createSite } from '../pages/shared/site.ts';
import type { Base } from './base.ts';

export function createPages({ log, state }: Base) {
  const site = (page: Page) => {
    const assets = createAssets(page);
    state.closers.push(() => assets.stop());
    return createSite(page, assets, (why) => log.warn('page.not_made', { page: page.name, why }));
  };
  return { roomPage: site(ROOM_PAGE), phonePage: site(PHONE_PAGE) };
}
