/** The studio, as a page of the HTTP service. */
import type { Page } from '../shared/page.ts';
import { BUNDLE_ALIASES } from './bundle-aliases.ts';

export const STUDIO: Page = {
  name: 'studio',
  title: 'Callweave',
  base: '/studio',
  entry: `${import.meta.dirname}/web/main.tsx`,
  withoutScript: 'The studio needs JavaScript. Everything it does can also be done by the API.',
  frames: 'shows',
  screens: {
    '^/?(?:flows)?$': 'flows/flow-list.tsx',
    '^/flows/[^/]+$': 'flows/flow-editor.tsx',
    '^/calls': 'calls/screens.ts',
  },
  replaced: BUNDLE_ALIASES,
};
