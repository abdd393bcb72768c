/** Room 6c: the page of video rooms, for people. Its files are made when somebody first opens one. */
import { createAssets } from '../pages/assets.ts';
import { createSite, type SiteHandler } from '../pages/site.ts';
import { ROOM_PAGE } from '../room-page/page.ts';
import type { Base } from './base.ts';

export function createRoomPage({ log, state }: Base): SiteHandler {
  const assets = createAssets(ROOM_PAGE);
  state.closers.push(() => assets.stop());
  return createSite(ROOM_PAGE, assets, (why) => log.warn('room_page.not_made', { why }));
}
