/** The screens of what is set up, which come together. Neighbour: `screens.ts` above. */
export { BroadcastDetail, BroadcastList } from '../broadcasts/broadcasts.tsx';
export { Settings } from './settings.tsx';
