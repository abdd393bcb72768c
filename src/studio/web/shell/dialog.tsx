/** The box of all pages. */
export { Dialog } from '../../../pages/web/dialog.tsx';
