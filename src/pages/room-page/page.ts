/** Room page of the service: `/room/{room_id}#{token}`. */
import type { Page } from '../shared/page.ts';

export const ROOM_PAGE: Page = {
  name: 'room page',
  title: 'Room',
  base: '/room',
  entry: `${import.meta.dirname}/web/main.tsx`,
  withoutScript: 'A room needs JavaScript: your browser sends and receives sound and pictures with it.',
};
