/** The screens of calls, which come together. Neighbour: `screens.ts` above. */
export { LiveScreen } from '../live/live-screen.tsx';
export { CallDetail } from './call-detail.tsx';
export { CallList } from './call-list.tsx';
