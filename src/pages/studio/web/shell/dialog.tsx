/** The dialog of all pages, for the studio. */
export { Dialog } from '../../../shared/web/dialog.tsx';
