/** The dialog of all pages, for the studio. */
export { Dialog } from '../../../pages/web/dialog.tsx';
