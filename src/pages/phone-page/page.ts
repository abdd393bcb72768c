/** Phone page of the service: `/phone#{token}`. */
import type { Page } from '../shared/page.ts';

export const PHONE_PAGE: Page = {
  name: 'phone page',
  title: 'Phone',
  base: '/phone',
  entry: `${import.meta.dirname}/web/main.tsx`,
  frames: 'is shown',
  withoutScript: 'A phone in the browser needs JavaScript: your browser sends and receives sound with it.',
};
